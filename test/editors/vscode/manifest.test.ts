import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { taskCommands } from '../../../editors/vscode/src/tasks/task-list.js';
import { compile } from '../../../src/compiler/compile.js';
import { renderPretty } from '../../../src/diagnostic/render-pretty.js';
import { defaultSettings } from '../../../src/lsp/server/settings.js';
import { lensCommands } from '../../../src/lsp/services/code-lenses.js';
import { version } from '../../../src/version.js';
import { root } from '../../docs/markdown.js';

// What the manifest of the extension says is what the rest of the project does.

const folder = path.join(root, 'editors/vscode');
const readJson = (file: string) => JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
const manifest = readJson('package.json');
const { contributes } = manifest;

describe('the manifest of the extension', () => {
  it('has the version of the package', () => {
    expect(readJson('../../package.json').version).toBe(manifest.version);
    expect(version).toContain(manifest.version);
  });

  it('has the commands of the server', () => {
    const commands = contributes.commands.map(({ command }: { command: string }) => command);
    expect(commands).toEqual(expect.arrayContaining([...lensCommands]));
    for (const { command } of contributes.menus.commandPalette) expect(commands).toContain(command);
  });

  it('has the settings of the server, with their defaults', () => {
    const { properties } = contributes.configuration;
    for (const [name, value] of Object.entries(defaultSettings))
      expect(properties[`attractor.${name}`].default, name).toBe(value);
    const known = [...Object.keys(defaultSettings), 'path', 'languages', 'trace.server'];
    expect(Object.keys(properties).sort()).toEqual(known.map((name) => `attractor.${name}`).sort());
  });

  it('has the tasks that are offered', () => {
    const [{ type, properties }] = contributes.taskDefinitions;
    expect([type, properties.command.enum]).toEqual(['attractor', [...taskCommands]]);
  });

  it('restricts what names or loads programs in workspaces that are not trusted', () => {
    const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    expect(restrictedConfigurations).toEqual([
      'attractor.path',
      'attractor.configuration',
      'attractor.checkShell',
    ]);
    const starting = contributes.commands.filter(({ command }: { command: string }) =>
      /\.(run|test)$/.test(command),
    );
    for (const { enablement } of starting) expect(enablement).toBe('isWorkspaceTrusted');
  });

  it('has texts for its walkthrough', () => {
    const files = contributes.walkthroughs[0].steps.map(
      ({ media }: { media: { markdown: string } }) => media.markdown,
    );
    expect(files.filter((file: string) => !existsSync(path.join(folder, file)))).toEqual([]);
  });
});

describe('the problem matcher', () => {
  const [{ regexp, ...groups }] = contributes.problemPatterns;

  it('finds each finding that attractor lint prints, with its place', () => {
    const { source, diagnostics } = compile(
      'digraph G {\n  start [shape=Mdiamond, promt="x"]\n  a [prompt="x" timeout=5s]\n  start -> a\n}\n',
      { name: 'flows/main.dot' },
    );
    const printed = renderPretty([{ source, diagnostics }], { color: false, verbose: true });
    const found = printed.split('\n').flatMap((line) => {
      const match = new RegExp(regexp).exec(line);
      return match === null ? [] : [match];
    });
    expect(found.map((match) => Number(match[groups.line])).toSorted((a, b) => a - b)).toEqual(
      diagnostics.map(({ span }) => source.positionAt(span.start).line).toSorted((a, b) => a - b),
    );
    expect(found.length).toBeGreaterThan(2);
    for (const match of found) {
      expect(match[groups.file]).toBe('flows/main.dot');
      expect(['error', 'warning', 'info']).toContain(match[groups.severity]);
      expect(match[groups.message]).not.toBe('');
    }
  });

  it.each([
    '   = help: insert a comma',
    '   = note: taken after a success (a.dot:25:5)',
    '⚠ 10 warnings in 1 file',
  ])('leaves other lines: %s', (line) => expect(new RegExp(regexp).test(line)).toBe(false));
});

describe('a snippet', () => {
  const snippets: Readonly<Record<string, { readonly prefix: string; readonly body: readonly string[] }>> =
    readJson('snippets.json');
  // Placeholders as they stand, choices as their first one.
  const expanded = (body: readonly string[]): string => {
    const values = new Map<string, string>();
    const text = body
      .join('\n')
      .replaceAll(/\$\{(\d+)(?::([^{}]*)|\|([^,|]*)[^|]*\|)\}/g, (_, index, value, choice) => {
        values.set(index, value ?? choice);
        return value ?? choice;
      });
    return text.replaceAll(/(?<!\\)\$(\d+)/g, (_, index) => values.get(index) ?? '').replaceAll('\\$', '$');
  };

  it.each(Object.entries(snippets))('is valid: %s', (name, { body }) => {
    const text = expanded(body);
    const isWhole = name === 'Pipeline';
    const { diagnostics } = compile(isWhole ? text : `digraph G {\n${text}\n}`, { name: 'main.dot' });
    // A part of a pipeline has findings about what is missing around it.
    const found = diagnostics.filter(({ severity, rule }) =>
      isWhole ? severity !== 'info' : /^(?:syntax$|attribute_)/.test(rule),
    );
    expect(found.map(({ message }) => message)).toEqual([]);
  });

  it('has a prefix of its own', () => {
    const prefixes = Object.values(snippets).map(({ prefix }) => prefix);
    expect(new Set(prefixes).size).toBe(prefixes.length);
  });
});
