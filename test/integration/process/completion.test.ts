import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { executable, temporaryDirectory } from './attractor.js';

// What bash, zsh and fish make of the answers of `attractor completion` (DESIGN §5).

const run = '20260131-120000-Example-k3x7qa';

/** A project with pipelines and a run, and `attractor` among the programs of the shell. */
function project() {
  const base = temporaryDirectory();
  const cwd = path.join(base, 'project');
  for (const folder of ['bin', 'project/flows', `project/.attractor/runs/${run}`]) {
    mkdirSync(path.join(base, folder), { recursive: true });
  }
  for (const file of [
    'one.dot',
    'with blank.dot',
    'notes.txt',
    'flows/two.dot',
    `.attractor/runs/${run}/events.jsonl`,
  ]) {
    writeFileSync(path.join(cwd, file), '');
  }
  const program = path.join(base, 'bin/attractor');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${executable}' "$@"\n`);
  chmodSync(program, 0o755);
  symlinkSync(process.execPath, path.join(base, 'bin/node'));
  return {
    cwd,
    env: { ...process.env, PATH: `${path.join(base, 'bin')}:${process.env.PATH}`, TERM: 'dumb' },
  };
}

/** Why a shell is not tested here; false where it is there. */
function missing(shell: string): boolean {
  return spawnSync(shell, ['--version']).error !== undefined;
}

interface Typed {
  readonly what: string;
  /** What was typed, up to the cursor. */
  readonly line: string;
  readonly completed: readonly string[];
}

const typed: readonly Typed[] = [
  { what: 'a command', line: 'attractor expl', completed: ['explain'] },
  { what: 'an option', line: 'attractor lint --max', completed: ['--max-warnings'] },
  { what: 'a choice', line: 'attractor lint --format sa', completed: ['sarif'] },
  { what: 'a rule', line: 'attractor lint --rule reachab', completed: ['reachability='] },
  { what: 'a run', line: 'attractor resume 2026', completed: [run] },
  { what: 'a pipeline', line: 'attractor lint on', completed: ['one.dot'] },
  { what: 'nothing but pipelines and directories', line: 'attractor lint no', completed: [] },
];

function answersOf(shell: string, args: readonly string[]): readonly string[] {
  const { stdout, stderr, status } = spawnSync(shell, args, { ...project(), encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter((line) => line !== '');
}

describe.skipIf(missing('bash'))('bash, where it is installed, completes', () => {
  const bash = (words: readonly string[]) =>
    answersOf('bash', [
      '--norc',
      '-c',
      'eval "$(attractor completion bash)"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _attractor attractor; printf "%s\\n" "${COMPREPLY[@]}"',
      'bash',
      ...words,
    ]);

  test.each(typed)('$what', ({ line, completed }) => {
    expect(bash(line.split(' '))).toEqual(completed);
  });

  test.each<[words: readonly string[], completed: readonly string[]]>([
    // As bash splits them.
    [['attractor', 'lint', '--format', '=', 'sa'], ['sarif']],
    [
      ['attractor', 'lint', '--format', '='],
      ['pretty', 'json', 'sarif', 'github', 'gitlab'],
    ],
    [['attractor', 'lint', '--rule', 'reachability', '=', 'w'], ['warning']],
    [['attractor', 'lint', 'with'], ['with blank.dot']],
    [['attractor', 'lint', 'fl'], ['flows']],
    [['attractor', 'lint', 'flows/'], ['flows/two.dot']],
    [['attractor', 'lint', '--config', 'no'], ['notes.txt']],
    [['attractor', 'explain', '$(touch oops)'], []],
  ])('%o', (words, completed) => {
    expect(bash(words)).toEqual(completed);
  });

  test('only what is asked for by its name', () => {
    const [answer] = answersOf('bash', [
      '--norc',
      '-c',
      'eval "$(attractor completion bash)"; complete -p attractor',
    ]);
    expect(answer).toBe('complete -F _attractor attractor');
  });
});

describe.skipIf(missing('fish'))('fish, where it is installed, completes', () => {
  test.each(typed)('$what', ({ line, completed }) => {
    const script = `attractor completion fish | source; complete -C '${line}'`;
    const answers = answersOf('fish', ['--no-config', '-c', script]).map((answer) => answer.split('\t')[0]);
    // Where nothing of the kind is there, fish offers other files.
    if (completed.length > 0) expect(answers).toEqual(completed);
    else expect(answers.every((answer) => answer === 'notes.txt')).toBe(true);
  });
});

describe.skipIf(missing('zsh'))('zsh, where it is installed, completes', () => {
  // Starting its completion takes long.
  test.each(typed.filter(({ what }) => ['an option', 'a rule', 'a pipeline'].includes(what)))(
    '$what',
    ({ line, completed }) => {
      const [word = ''] = completed;
      const { stdout } = spawnSync('zsh', ['-f', '-c', typeIntoZsh, 'zsh', line], {
        ...project(),
        encoding: 'utf8',
      });
      const whole = `${line.slice(0, line.lastIndexOf(' '))} ${word}`;
      expect(stdout).toContain(`<${word.endsWith('=') ? whole : `${whole} `}>`);
    },
  );
});

/** A zsh of its own is typed into; the line is shown as it is when Tab has been pressed. */
const typeIntoZsh = String.raw`
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; autoload -Uz compinit; compinit -u -D; eval "$(attractor completion zsh)"'
zpty -w shell 'show() { print -r -- "<$BUFFER>"; zle .kill-buffer; print -r -- the-end; exit }; zle -N show; bindkey "^X" show; print rea""dy'
zpty -r shell output '*ready*'
zpty -w -n shell "$1"$'\t\x18'
zpty -r shell output '*the-end*'
print -r -- "$output"
`;
