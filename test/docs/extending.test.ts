import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { allCommands } from '../../src/cli/commands/index.js';
import { isAdjustable } from '../../src/lint/rule-settings.js';
import { configurationSchema, readConfiguration } from '../../src/plugins/read-configuration.js';
import { directoryOf } from '../plugins/files.js';
import { blocksOf, codeIn, proseOf, readPage, root, tableOf } from './markdown.js';

const page = readPage('docs/extending.md');
const folder = path.join(root, 'examples/plugins');

describe('extending', () => {
  it('shows every example as it is', () => {
    const shown = blocksOf(page, 'js').map((block) => [block.option('example'), block.text]);
    const examples = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
    expect(new Map(shown as [string, string][])).toEqual(
      new Map(examples.map((name) => [name, readFileSync(path.join(folder, name), 'utf8')])),
    );
  });

  it('has the keys of the configuration file in a table', () => {
    const documented = tableOf(page, 'key').map(([key = '']) => codeIn(key)[0]);
    expect(documented.toSorted()).toEqual(Object.keys(configurationSchema.shape).sort());
  });

  it('shows a configuration file that can be read', () => {
    const [block] = blocksOf(page, 'yaml');
    const file = path.join(
      directoryOf({ 'attractor.config.yaml': block?.text ?? '' }),
      'attractor.config.yaml',
    );
    expect(readConfiguration(file)).toMatchObject({
      backend: 'echo',
      plugins: [{}, { options: { city: 'Athens' } }],
    });
  });

  it('names the commands that take `--config`', async () => {
    const commands = await allCommands();
    const taking = commands.filter((command) =>
      command.configure(new Command()).options.some(({ long }) => long === '--config'),
    );
    const [section = ''] = /## The configuration file\n.*?```/s.exec(page.text) ?? [];
    const named = codeIn(section).filter((code) => commands.some(({ name }) => name === code));
    expect(named.toSorted()).toEqual(taking.map(({ name }) => name).toSorted());
  });

  it('names the rules whose severity is fixed', () => {
    const prose = proseOf(page).join(' ');
    const [sentence = ''] = /The severity of .* cannot be set/.exec(prose) ?? [];
    expect(codeIn(sentence).length).toBeGreaterThan(5);
    expect(codeIn(sentence).filter(isAdjustable)).toEqual([]);
  });
});
