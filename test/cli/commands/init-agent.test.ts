import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { codingAgents } from '../../../src/cli/package/agents.js';
import { packageFile } from '../../../src/cli/package/package-files.js';
import { compile } from '../../../src/compiler/compile.js';
import { directoryWith } from '../../support/directory-with.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { attractor } from '../attractor.js';

const skill = packageFile('skills/attractor/SKILL.md');
const server = { command: 'npx', args: ['-y', 'attractor-dot', 'mcp'] };
const init = (cwd: string, ...agents: readonly string[]) =>
  attractor(['init', ...agents.flatMap((name) => ['--agent', name])], { cwd });

describe('attractor init --agent', () => {
  test.each(codingAgents)('$name gets the skill and the server', async ({ name, skills, servers }) => {
    const cwd = temporaryDirectory();
    const { status, stdout } = await init(cwd, name);
    expect([status, stdout.match(/^wrote /gm)?.length]).toEqual([0, 2]);
    expect(readFileSync(path.join(cwd, skills, 'attractor/SKILL.md'), 'utf8')).toBe(skill);
    const text = readFileSync(path.join(cwd, servers.file), 'utf8');
    const value = servers.format === 'json' ? JSON.parse(text) : parseToml(text);
    expect(value).toEqual({ [servers.key]: { attractor: servers.entry } });
    expect((await init(cwd, name)).stdout).toMatch(/ is up to date \(.*\n.* registers attractor already \(/);
    expect(readFileSync(path.join(cwd, servers.file), 'utf8')).toBe(text);
  });

  const other = { command: 'other' };
  test.each([
    [
      'claude',
      '.mcp.json',
      { x: 1, mcpServers: { other } },
      { x: 1, mcpServers: { other, attractor: server } },
    ],
    ['gemini', '.gemini/settings.json', { ui: {} }, { ui: {}, mcpServers: { attractor: server } }],
  ])('adds to the file of %s', async (name, file, before, after) => {
    const cwd = directoryWith({ [file]: JSON.stringify(before, undefined, '\t') });
    expect((await init(cwd, name)).stdout).toContain(`added attractor to ${file}`);
    const text = readFileSync(path.join(cwd, file), 'utf8');
    expect(JSON.parse(text)).toEqual(after);
    expect(text).toContain('\n\t"');
  });

  it('keeps comments and the order of TOML', async () => {
    const before = '# mine\nmodel = "gpt"\n[mcp_servers.other]\ncommand = "other"\n';
    const cwd = directoryWith({ '.codex/config.toml': before });
    await init(cwd, 'codex');
    const text = readFileSync(path.join(cwd, '.codex/config.toml'), 'utf8');
    expect(text.startsWith(before)).toBe(true);
    expect(parseToml(text)).toMatchObject({ mcp_servers: { other, attractor: server } });
  });

  test.each([
    ['claude', '.mcp.json', '{ // mine\n }', 'it is not plain JSON'],
    ['claude', '.mcp.json', '[]', 'it is not a JSON object'],
    ['claude', '.mcp.json', '{"mcpServers": []}', 'its "mcpServers" is not an object'],
    ['codex', '.codex/config.toml', 'model =', 'it is not TOML'],
    ['codex', '.codex/config.toml', 'mcp_servers = { other = {} }', 'a table cannot be appended to it'],
    ['claude', '.claude/skills/attractor/SKILL.md', 'mine', 'it differs from the skill of this version'],
  ])('leaves what it cannot change: %s, %s, %j', async (name, file, before, problem) => {
    const cwd = directoryWith({ [file]: before });
    const { status, stdout } = await init(cwd, name);
    expect([status, stdout]).toEqual([0, expect.stringContaining(problem)]);
    expect(readFileSync(path.join(cwd, file), 'utf8')).toBe(before);
  });

  it('writes a pipeline too where one is named', async () => {
    const cwd = temporaryDirectory();
    await attractor(['init', '--agent', 'claude', '--template', 'approval'], { cwd });
    expect(['.mcp.json', 'review-loop.dot'].map((name) => existsSync(path.join(cwd, name)))).toEqual([
      true,
      true,
    ]);
  });

  test.each([
    ['cluade', {}, 'there is no agent "cluade" (did you mean "claude"?)'],
    ['claude', { '.claude': 'a file' }, 'cannot read .claude/skills/attractor/SKILL.md: '],
  ])('refuses %s', async (name, files, message) => {
    const { status, stderr } = await init(directoryWith(files), name);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('the skill', () => {
  const [, front = '', body = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(skill) ?? [];

  it('has the front matter of the Agent Skills convention', () => {
    const { name, description, ...others } = parseYaml(front);
    expect(name).toBe('attractor');
    expect(description.length).toBeLessThanOrEqual(1024);
    expect(Object.keys(others)).toEqual(['license', 'compatibility']);
    expect(body.split('\n').length).toBeLessThan(120);
  });

  it('shows a pipeline without findings', () => {
    const [, text = ''] = /```dot\n(.*?)```/s.exec(body) ?? [];
    expect(compile(text, { name: 'skill.dot' }).diagnostics).toEqual([]);
  });
});
