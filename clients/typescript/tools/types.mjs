// Makes src/schema.d.ts from docs/openapi.json. With --check it only says whether the committed one is what it would make.

import { readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';

const document = new URL('../../../docs/openapi.json', import.meta.url);
const types = new URL('../src/schema.d.ts', import.meta.url);

const made =
  '// Made from docs/openapi.json by `npm run types`: do not edit.\n\n' +
  astToString(
    await openapiTS(JSON.parse(await readFile(document, 'utf8')), {
      alphabetize: true,
      defaultNonNullable: false,
      silent: true,
    }),
  );

if (process.argv.includes('--check')) {
  if ((await readFile(types, 'utf8').catch(() => '')) !== made) {
    console.error('src/schema.d.ts is not what docs/openapi.json gives: run `npm run types` and commit it');
    process.exitCode = 1;
  }
} else {
  await writeFile(types, made);
}
