import { shellCommands } from '../lint/analysis/shell-commands.js';
import type { CheckShell, ShellProblem } from '../lint/shell-check.js';

/**
 * Has the shell that runs tools parse commands (`sh -n`), without running them. There is no answer without a shell, and for a
 * command on which the shell itself crashes.
 */
export const checkShell: CheckShell = (commands) => {
  const joined = commands.filter(mayBeJoined);
  if (!areReadableTogether(joined)) return readApart(commands);
  const others = commands.filter((command) => !mayBeJoined(command));
  const problems = new Map(
    others.length === 0 ? [] : readApart(others).map((problem, index) => [others[index] ?? '', problem]),
  );
  return commands.map((command) => problems.get(command));
};

const readApart: CheckShell = (commands) => {
  const marker = markerFor(commands);
  const output = readAll(commands, marker);
  if (output === undefined) return commands.map(() => undefined);
  const reports = output.split(`${marker} `);
  return commands.map((_, index) => problemOf(reports[index] ?? '', reports[index + 1] ?? ''));
};

const shell = '/bin/sh';

/**
 * True for commands that the shell can read as one text, which takes one process instead of one for each: most pipelines have nothing
 * wrong. A mistake of one command must not be made good by that of another. So brackets are counted beforehand, each command is in
 * braces, and after it comes a line that cannot be read within quotes.
 */
function areReadableTogether(commands: readonly string[]): boolean {
  const text = commands.map((command) => `{ :\n${command}\n}\n: ' )))) ' " )))) "\n`).join('');
  return commands.length === 0 || callShell(['-n'], text) !== undefined;
}

function mayBeJoined(command: string): boolean {
  return !swallows.test(command) && shellCommands(command) !== undefined;
}

/** What may begin in one command and end in another, whatever is between them. */
const swallows = /`|<<|\$\(\((?![^()'"\n]*\)\))|\$\{(?![^{}'"\n]*\})/;

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
  return callShell(['-s'], script.join(''));
}

/** @returns what the shell prints; undefined if there is none, or it fails */
function callShell(args: readonly string[], input: string): string | undefined {
  // Loaded on demand: most pipelines have no command to check.
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const { stdout, error, status } = spawnSync(shell, args, {
    input,
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
