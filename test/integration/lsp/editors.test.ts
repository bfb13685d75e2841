import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blocksOf, readPage } from '../../docs/markdown.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

// Real editors without a screen, configured as the pages in editors/ say: each shows a finding, applies its fix, and renames a node.

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

/**
 * What an editor prints and leaves, which has read the configuration of its page first.
 * @param call arguments of the editor, by the file of the configuration
 */
function edited(
  editor: 'neovim' | 'emacs',
  command: string,
  call: (configuration: string) => readonly string[],
) {
  const directory = temporaryDirectory();
  const file = join(directory, 'main.dot');
  writeFileSync(file, text);
  const programs = temporaryDirectory();
  const quoted = [process.execPath, attractor].map((path) => `'${path}'`).join(' ');
  writeFileSync(join(programs, 'attractor'), `#!/bin/sh\nexec ${quoted} "$@"\n`, { mode: 0o755 });
  const [configuration = ''] = blocksOf(readPage(`editors/${editor}/README.md`)).map((block) => block.text);
  const configurationFile = join(programs, 'configuration');
  writeFileSync(configurationFile, configuration);
  const stdout = execFileSync(command, call(configurationFile), {
    cwd: directory,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: patienceMs,
    env: {
      ...process.env,
      PATH: `${programs}${delimiter}${process.env.PATH}`,
      PIPELINE: file,
      HOME: directory,
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
      const call = (configuration: string): readonly string[] => [
        '--clean',
        '--headless',
        '-n',
        '-c',
        `luafile ${configuration}`,
        '-c',
        `luafile ${script}`,
      ];
      expect(edited('neovim', 'nvim', call)).toEqual(expected);
    },
    patienceMs + 10_000,
  );

  it.skipIf(!hasEglot)(
    'Emacs with eglot, where they are installed, shows, fixes and renames',
    () => {
      const script = join(import.meta.dirname, 'eglot.el');
      const call = (configuration: string): readonly string[] => [
        '-q',
        '--batch',
        '-l',
        configuration,
        '-l',
        script,
      ];
      expect(edited('emacs', 'emacs', call)).toEqual(expected);
    },
    patienceMs + 10_000,
  );
});
