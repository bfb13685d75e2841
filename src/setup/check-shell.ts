import type { CheckShell, ShellProblem } from '../lint/shell-check.js';

/**
 * Has the shell that runs tools parse commands, all of them in one call (`sh -n`), without running them.
 * There is no answer without a shell, and for a command on which the shell itself crashes.
 */
export const checkShell: CheckShell = (commands) => {
  const marker = markerFor(commands);
  const output = readAll(commands, marker);
  if (output === undefined) return commands.map(() => undefined);
  const reports = output.split(`${marker} `);
  return commands.map((_, index) => problemOf(reports[index] ?? '', reports[index + 1] ?? ''));
};

const shell = '/bin/sh';

/** Timeout in milliseconds; parsing is quick, so this is for a machine that hangs. */
const longestRead = 60_000;

/**
 * Output of the shells. The script that starts them has each command in a here-document, which no shell
 * expands and which ends at a line that no command has.
 */
function readAll(commands: readonly string[], marker: string): string | undefined {
  const script = commands.map(
    (command) => `${shell} -n <<'${marker}' 2>&1\n${command}\n${marker}\nprintf '\\n${marker} %s\\n' "$?"\n`,
  );
  // Loaded on demand: most pipelines have no command to check.
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const { stdout, error, status } = spawnSync(shell, ['-s'], {
    input: script.join(''),
    encoding: 'utf8',
    env: { LC_ALL: 'C' },
    maxBuffer: Number.POSITIVE_INFINITY,
    timeout: longestRead,
    windowsHide: true,
  });
  return error === undefined && status === 0 ? stdout : undefined;
}

/** Word that occurs in none of the commands. */
function markerFor(commands: readonly string[]): string {
  for (let number = 0; ; number += 1) {
    const marker = `end_of_command_${number}`;
    if (commands.every((command) => !command.includes(marker))) return marker;
  }
}

/**
 * @param report output of the shell about the command, after the status of the previous one
 * @param next begins with the status of the command
 */
function problemOf(report: string, next: string): ShellProblem | undefined {
  const status = Number.parseInt(next, 10);
  // From 126 on the shell did not exist, or was killed.
  if (!(status > 0 && status < 126)) return undefined;
  const [, line = '', text = ''] =
    /^[^\n]*?: (?:line )?([0-9]+): (?:[Ss]yntax error:? ?)?([^\n]+)/m.exec(report) ?? [];
  return text === '' ? undefined : { message: text, line: Number(line) };
}
