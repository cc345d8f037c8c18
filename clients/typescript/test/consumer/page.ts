// A page's own code: the types hold without anything of Node's, and find mistakes.

import { ForgeClient, ForgeNotFoundError, type StartedAttempt, type Task, type TaskAttempt } from 'forge-client';

const forge = new ForgeClient('http://localhost:8887', 'token');

export async function main(): Promise<string[]> {
  const tasks: Task[] = await forge.listTasks('p');
  const titles: string[] = tasks.map(({ title }) => title);
  const attempt: TaskAttempt = await forge.getTaskAttempt('a');
  const started: StartedAttempt = await forge.createAndStartTask('p', {
    title: 'x',
    executor_profile_id: 'CLAUDE_CODE',
    base_branch: 'main',
  });
  const id: string = started.task_attempt.id;

  // @ts-expect-error: a field that an attempt does not have.
  titles.push(attempt.brunch);
  // @ts-expect-error: a task without a title.
  await forge.createTask({ project_id: 'p' });
  // @ts-expect-error: a status that there is not.
  await forge.updateTask('t', { status: 'nearly' });

  const source = forge.subscribeToEvents();
  source.addEventListener('task_attempt_update', (event) => titles.push(event.data));
  for await (const { document } of forge.streamTasks('p')) {
    const task: Task | undefined = document[id];
    if (task !== undefined) titles.push(task.title);
  }
  try {
    await forge.getTask('t');
  } catch (error) {
    if (error instanceof ForgeNotFoundError && error.hint !== undefined) titles.push(error.hint);
  }
  return titles;
}
