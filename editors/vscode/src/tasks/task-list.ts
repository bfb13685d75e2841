/** Commands that a task of the type `attractor` may call. */
export const taskCommands = ['lint', 'run', 'test'] as const;

export type TaskCommand = (typeof taskCommands)[number];

/** A task of `tasks.json`. */
export interface AttractorTask {
  readonly command: TaskCommand;
  /** File or folder, relative to the folder of the workspace; by default the whole folder, or for `run` none. */
  readonly file?: string | undefined;
  /** Further arguments. */
  readonly args?: readonly string[] | undefined;
}

/** Tasks that are offered: for the whole folder, and for the pipeline in the editor. */
export function offeredTasks(pipeline: string | undefined): readonly AttractorTask[] {
  const whole: readonly AttractorTask[] = [{ command: 'lint' }, { command: 'test' }];
  if (pipeline === undefined) return whole;
  return [...whole, ...taskCommands.map((command) => ({ command, file: pipeline }))];
}

/** Task of `tasks.json`, which may say anything; undefined for one that cannot be called. */
export function readTask(definition: Readonly<Record<string, unknown>>): AttractorTask | undefined {
  const command = taskCommands.find((one) => one === definition.command);
  const { file, args } = definition;
  if (command === undefined || (command === 'run' && typeof file !== 'string')) return undefined;
  return {
    command,
    file: typeof file === 'string' ? file : undefined,
    args: Array.isArray(args) ? args.filter((one) => typeof one === 'string') : undefined,
  };
}

/** Arguments of the command line. */
export function taskArguments({ command, file = '.', args = [] }: AttractorTask): readonly string[] {
  return [command, file, ...args];
}

/** Name of a task in lists: `lint`, `run flows/review.dot`. */
export function taskName({ command, file }: AttractorTask): string {
  return file === undefined ? command : `${command} ${file}`;
}
