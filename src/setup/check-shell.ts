import type { CheckShell, ShellProblem } from '../lint/shell-check.js';

/**
 * Lets the shell that runs tools read commands, all of them in one call (`sh -n`): nothing of them is run. Without a shell, and
 * for a command on which the shell itself breaks down, there is no answer.
 */
export const checkShell: CheckShell = (commands) => {
  const marker = markerFor(commands);
  const output = readAll(commands, marker);
  if (output === undefined) return commands.map(() => undefined);
  const reports = output.split(`${marker} `);
  return commands.map((_, index) => problemOf(reports[index] ?? '', reports[index + 1] ?? ''));
};

const shell = '/bin/sh';

/** In milliseconds; reading is quick, so that this is for a machine that hangs. */
const longestRead = 60_000;

/**
 * What the shells print. The script that starts them has each command in a here-document, which no shell looks into and
 * which ends at a line that no command has.
 */
function readAll(commands: readonly string[], marker: string): string | undefined {
  const script = commands.map(
    (command) => `${shell} -n <<'${marker}' 2>&1\n${command}\n${marker}\nprintf '\\n${marker} %s\\n' "$?"\n`,
  );
  // Loaded where a command needs it: most pipelines have none that has to be looked at.
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

/** A word that is in none of the commands. */
function markerFor(commands: readonly string[]): string {
  for (let number = 0; ; number += 1) {
    const marker = `end_of_command_${number}`;
    if (commands.every((command) => !command.includes(marker))) return marker;
  }
}

/**
 * @param report what the shell said of the command; before it, the status of the one before
 * @param next begins with the status of the command
 */
function problemOf(report: string, next: string): ShellProblem | undefined {
  const status = Number.parseInt(next, 10);
  // From 126 on the shell was not there, or was killed.
  if (!(status > 0 && status < 126)) return undefined;
  const [, line = '', text = ''] =
    /^[^\n]*?: (?:line )?([0-9]+): (?:[Ss]yntax error:? ?)?([^\n]+)/m.exec(report) ?? [];
  return text === '' ? undefined : { message: text, line: Number(line) };
}
