import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../../src/index.js';
import { pipeline } from '../run/harness.js';
import { askedServer } from '../server/asked-server.js';
import { directoryWith } from '../support/directory-with.js';
import { journalOf } from '../support/journal-of.js';
import { attractor } from './attractor.js';

const models = 'graph [model_stylesheet="* { llm_model: claude-sonnet-4-5 }"]';
const release = pipeline(
  models,
  'verify [goal_gate=true]',
  'deploy [shape=parallelogram, tool_command="touch deployed"]',
  'start -> verify -> deploy -> exit',
);
const simulated = release.replace('llm_model: claude-sonnet-4-5', 'llm_provider: simulated');
const refusal = 'error[model]: ANTHROPIC_API_KEY is not set (verify)\n';

describe('120: no stage pretends unless somebody said so', () => {
  test('a goal gate without a key lets nothing be deployed, and creates nothing', async () => {
    const cwd = directoryWith({ 'release.dot': release });
    const { status, stdout, stderr } = await attractor(['run', 'release.dot'], { cwd });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(`release.dot: ${refusal}`);
    expect(stderr).toMatch(/\n✖ 1 error, 1 warning; nothing was started\n$/);
    expect(readdirSync(cwd)).toEqual(['release.dot']);
  });

  test.each([
    { name: '--simulate', dot: release, args: ['--simulate'], stages: ['verify', 'deploy'] },
    { name: 'llm_provider=simulated', dot: simulated, args: [], stages: ['verify'] },
    { name: '--backend simulate', dot: release, args: ['--backend', 'simulate'], stages: ['verify'] },
    {
      name: '--provider simulated',
      dot: release.replace(models, ''),
      args: ['--provider', 'simulated'],
      stages: ['verify'],
    },
  ])('$name says so, and what pretended is marked', async ({ dot, args, stages }) => {
    const cwd = directoryWith({ 'release.dot': dot });
    const call = (...words: readonly string[]) => attractor(words, { cwd });
    const { status, stdout } = await call('run', 'release.dot', '--run-dir', 'r', ...args);
    expect(status).toBe(0);
    expect(stdout).toContain(`✔ success, simulated (${stages.join(', ')}) · `);
    const marked = journalOf(path.join(cwd, 'r')).flatMap((event) =>
      event.type === 'StageCompleted' && event.simulated ? [event.node_id] : [],
    );
    expect(marked).toEqual(stages);
    expect(JSON.parse(readFileSync(path.join(cwd, 'r', 'result.json'), 'utf8'))).toMatchObject({
      simulated_stages: stages,
    });
    expect(JSON.parse((await call('status', 'r', '--json')).stdout)).toMatchObject({
      simulated_stages: stages,
    });
    await call('report', 'r', '-o', 'report.html');
    expect(readFileSync(path.join(cwd, 'report.html'), 'utf8')).toMatch(
      /did no real work|no stage did real work/,
    );
    expect(existsSync(path.join(cwd, 'deployed'))).toBe(!stages.includes('deploy'));
  });

  test('neither a resumed run nor a fork pretends where the run did not, and an older run did for want of a key', async () => {
    const cwd = directoryWith({ 'release.dot': release });
    const before = await run(release, { workingDirectory: cwd, runDirectory: path.join(cwd, 'r') });
    expect(before).toMatchObject({ status: 'success', simulated_stages: ['verify'] });
    for (const words of [
      ['resume', 'r', '--from', 'verify'],
      ['fork', 'r', '--at', 'verify', '--run-dir', 'f'],
    ]) {
      const { status, stderr } = await attractor(words, { cwd });
      expect({ words, status }).toEqual({ words, status: 2 });
      expect(stderr).toContain(refusal);
    }
    expect(existsSync(path.join(cwd, 'f'))).toBe(false);
    const resumed = await attractor(['resume', 'r', '--from', 'verify', '--simulate'], { cwd });
    expect(resumed.stdout).toContain('✔ success, simulated (verify, deploy) · ');
  });

  test('a stage that runs a pipeline with such stages is marked too', async () => {
    const child = pipeline('think [llm_provider=simulated]', 'start -> think -> exit');
    const dot = pipeline('sub [type=pipeline, child="child.dot"]', 'start -> sub -> exit');
    const cwd = directoryWith({ 'main.dot': dot, 'child.dot': child });
    const { stdout } = await attractor(['run', 'main.dot', '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ status: 'success', simulated_stages: ['sub'] });
  });

  test('a pipeline that is written while the run continues fails where nothing is there', async () => {
    const child = pipeline('think [llm_model="claude-sonnet-4-5"]', 'start -> think -> exit');
    const dot = pipeline(
      'plan [shape=parallelogram, tool_command="cp later.txt child.dot"]',
      'sub [type=pipeline, child="child.dot"]',
      'start -> plan -> sub -> exit',
    );
    const cwd = directoryWith({ 'main.dot': dot, 'later.txt': child });
    const { status, stdout } = await attractor(['run', 'main.dot', '--json'], { cwd });
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'fail', simulated_stages: [] });
    expect(stdout).toContain('ANTHROPIC_API_KEY is not set');
  });

  test('nor does the LLM stage of a pipeline that a stage of a plugin runs', async () => {
    const plugin = `export default { name: 'delegate', handlers: [{ type: 'delegate', handler: { async execute(stage) {
      const request = { file: 'child.dot', workingDirectory: stage.workingDirectory, inputs: {} };
      const { result } = await stage.runChild(request).end;
      return { status: result.status, failure_reason: result.failure_reason };
    } } }] };`;
    const child = pipeline('think [llm_model="claude-sonnet-4-5"]', 'start -> think -> exit');
    const cwd = directoryWith({ 'plugin.mjs': plugin, 'child.dot': child });
    writeFileSync(path.join(cwd, 'main.dot'), pipeline('p [type=delegate]', 'start -> p -> exit'));
    const { status, stdout } = await attractor(['run', 'main.dot', '--plugin', './plugin.mjs', '--json'], {
      cwd,
    });
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'fail', simulated_stages: [] });
    expect(stdout).toContain('stage \\"think\\": ANTHROPIC_API_KEY is not set');
  });

  test('a server answers 400 and creates nothing', async () => {
    const { post, ask } = await askedServer({ extensions: { config: false } });
    const response = await post('/pipelines', {
      dot: release.replace(/deploy \[.*\n/, '').replace(' deploy ->', ''),
    });
    expect(response.status).toBe(400);
    expect(JSON.stringify(await response.json())).toContain('ANTHROPIC_API_KEY is not set (verify)');
    expect(await (await ask('/pipelines')).json()).toMatchObject({ runs: [] });
  });
});
