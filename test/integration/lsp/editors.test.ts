import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../support/temporary-directory.js';

// Real editors without a screen: each shows a finding, applies its fix, and renames a node.

const attractor = join(import.meta.dirname, '../../../bin/attractor.js');

const text = `digraph G {
    graph [goal="x"]
    start [shape=Mdiamond]
    done  [shape=Msquare]
    plan  [prompt="Say" timeout=5s]
    start -> plan -> done
}
`;

const patienceMs = 110_000;

function has(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args).status === 0;
}

function edited(command: string, args: readonly string[]) {
  const directory = temporaryDirectory();
  const file = join(directory, 'main.dot');
  writeFileSync(file, text);
  const stdout = execFileSync(command, args, {
    cwd: directory,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: patienceMs,
    env: {
      ...process.env,
      PIPELINE: file,
      ROOT: directory,
      HOME: directory,
      NODE: process.execPath,
      ATTRACTOR: attractor,
    },
  });
  const lines = stdout.split('\n').filter((line) => /^(?:diagnostic|fixed|renamed):/.test(line));
  return { lines, after: readFileSync(file, 'utf8') };
}

const expected = {
  lines: [
    expect.stringMatching(/^diagnostic: line 5: .*attributes are separated by commas/),
    'fixed:     plan  [prompt="Say", timeout=5s]',
    'renamed:     start -> design -> done',
  ],
  after: text.replace('" timeout', '", timeout').replaceAll('plan', 'design'),
};

const hasEglot = has('emacs', '-q', '--batch', '--eval', "(require 'eglot)");

describe('an editor without a screen', () => {
  it.skipIf(!has('nvim', '--version'))(
    'Neovim, where it is installed, shows, fixes and renames',
    () => {
      const script = join(import.meta.dirname, 'neovim.lua');
      expect(edited('nvim', ['--clean', '--headless', '-n', '-c', `luafile ${script}`])).toEqual(expected);
    },
    patienceMs + 10_000,
  );

  it.skipIf(!hasEglot)(
    'Emacs with eglot, where they are installed, shows, fixes and renames',
    () => {
      const script = join(import.meta.dirname, 'eglot.el');
      expect(edited('emacs', ['-q', '--batch', '-l', script])).toEqual(expected);
    },
    patienceMs + 10_000,
  );
});
