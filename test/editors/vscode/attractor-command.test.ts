import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CommandChoice, chooseCommand } from '../../../editors/vscode/src/server/attractor-command.js';
import { serverSettings } from '../../../editors/vscode/src/server/server-settings.js';

const own = path.join('/work', 'node_modules', 'attractor-dot', 'bin', 'attractor.js');
const node = { command: '/editor', env: { ELECTRON_RUN_AS_NODE: '1' } };

function choice(changes: Partial<CommandChoice>): CommandChoice {
  return {
    setting: '',
    folders: ['/other', '/work'],
    isTrusted: true,
    node: '/editor',
    bundled: '/extension/server/bin/attractor.js',
    home: '/home/me',
    exists: () => false,
    ...changes,
  };
}

describe('the command line of a workspace', () => {
  it.each<[what: string, changes: Partial<CommandChoice>, expected: unknown]>([
    ['is the bundled one', {}, { ...node, args: ['/extension/server/bin/attractor.js'], origin: 'bundled' }],
    [
      'is that of the first folder that has one',
      { exists: (file) => file === own },
      { ...node, args: [own], origin: 'workspace' },
    ],
    [
      'is the bundled one if the workspace is not trusted',
      { exists: (file) => file === own, setting: './evil', isTrusted: false },
      { ...node, args: ['/extension/server/bin/attractor.js'], origin: 'bundled' },
    ],
    [
      'is a program in PATH',
      { setting: ' attractor ', exists: (file) => file === own },
      { command: 'attractor', args: [], env: {}, origin: 'setting' },
    ],
    [
      'is a file of the first folder',
      { setting: './tools/attractor' },
      { command: path.resolve('/other', 'tools/attractor'), args: [], env: {}, origin: 'setting' },
    ],
    [
      'is a script at home, which the editor runs',
      { setting: '~/attractor/bin/attractor.js' },
      { ...node, args: [path.join('/home/me', 'attractor/bin/attractor.js')], origin: 'setting' },
    ],
    [
      'may be named without a folder',
      { setting: '', folders: [] },
      { ...node, args: ['/extension/server/bin/attractor.js'], origin: 'bundled' },
    ],
  ])('%s', (_, changes, expected) => {
    expect(chooseCommand(choice(changes))).toEqual(expected);
  });
});

it('a server of a workspace that is not trusted loads no plugins and starts no shell', () => {
  const settings = { configuration: true, checkShell: true, pauseMs: 100 };
  expect(serverSettings(settings, true)).toEqual(settings);
  expect(serverSettings(settings, false)).toEqual({ configuration: false, checkShell: false, pauseMs: 100 });
});
