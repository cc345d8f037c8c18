// Runs one task from a prompt to its end: prints what the agent prints, and what came of it.
//
//   node run-task.js <project id> "<prompt>"        FORGE_URL and FORGE_TOKEN say where, if not on this machine

import { pathToFileURL } from 'node:url';
import { ForgeClient, ForgeError, ForgeInvalidError, type TaskAttempt } from 'forge-client';

export async function runTask(
  forge: ForgeClient,
  projectId: string,
  prompt: string,
  print: (text: string) => void,
): Promise<TaskAttempt> {
  // Followed from before the start, so that nothing of it is missed.
  const events = forge.streamEvents({ only: ['hello', 'task_attempt_update'] });
  try {
    await events.next();

    const [title = 'A task'] = prompt.split('\n');
    const attempt = await forge.createAndStartTask(projectId, {
      title,
      description: prompt,
      executor_profile_id: 'CLAUDE_CODE',
    });
    print(`started on ${attempt.branch} in ${attempt.worktree_path}\n`);

    if (attempt.execution_process_id !== null) {
      for await (const piece of forge.streamRawLogs(attempt.execution_process_id)) {
        if (piece.type === 'STDOUT') print(piece.content);
      }
    }

    for await (const _update of events) {
      const now = await forge.getTaskAttempt(attempt.id);
      if (now.status !== 'running' && now.status !== 'pending') {
        print(`\n${now.status}\n`);
        return now;
      }
    }
    throw new Error('the event stream does not end by itself');
  } finally {
    // A stream that is left open keeps the program alive.
    await events.return();
  }
}

async function main([projectId, prompt]: string[]): Promise<void> {
  if (projectId === undefined || prompt === undefined) throw new Error('usage: run-task <project id> "<prompt>"');
  const forge = new ForgeClient(process.env['FORGE_URL'], { token: process.env['FORGE_TOKEN'] });
  try {
    const attempt = await runTask(forge, projectId, prompt, (text) => process.stdout.write(text));
    process.exitCode = attempt.status === 'completed' ? 0 : 1;
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    console.error(`${error.message} (${error.code})`);
    if (error instanceof ForgeInvalidError && error.hint !== undefined) console.error(`hint: ${error.hint}`);
    process.exitCode = 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv.slice(2));
