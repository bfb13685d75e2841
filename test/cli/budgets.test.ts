import { describe, expect, test } from 'vitest';
import { directoryWith } from '../support/directory-with.js';
import { attractor } from './attractor.js';

/** Each stage makes requests of a dollar, as many as its prompt says. */
const plugin = `export default {
  name: 'paid',
  backends: [{
    name: 'paid',
    create: () => ({
      async run(node, prompt, context, call) {
        for (let left = Number(/([0-9]+) requests/.exec(prompt)?.[1]); left > 0; left -= 1) {
          call.checkBudget();
          const usage = { requests: 1, input_tokens: 1000, output_tokens: 1000, cost_usd: 1 };
          call.report({ kind: 'model_used', provider: 'acme', model: 'large', usage });
        }
        return 'done';
      },
    }),
  }],
};`;

const line = (attributes = '', ofStage = ''): string => `digraph line {
  graph [goal="Spend"${attributes}]
  start [shape=Mdiamond]
  done [shape=Msquare]
  plan [prompt="30 requests"${ofStage}]
  start -> plan -> done
}`;

function place(files: Readonly<Record<string, string>>) {
  const cwd = directoryWith({ 'paid.mjs': plugin, ...files });
  const paid = ['--plugin', './paid.mjs', '--backend', 'paid'];
  return {
    attractor: (...args: readonly string[]) => attractor(args, { cwd }),
    spend: (command: 'run' | 'resume', ...args: readonly string[]) =>
      attractor([command, ...args, ...paid], { cwd }),
  };
}

describe('126: a run says its budget, and how to continue', () => {
  test('the default, when it starts, when it pauses, and in status', async () => {
    const { attractor: call, spend } = place({ 'p.dot': line() });
    const first = await spend('run', 'p.dot', '--run-dir', 'my run');
    expect(first.status).toBe(3);
    expect(first.stdout).toContain('\n  budget: $25.00 by default; --budget-usd changes it\n');
    expect(first.stdout).toContain('‖ paused: the run has used $25.00 of the $25.00 allowed by its budget');
    expect(first.stdout).toContain("\n  resume:        attractor resume 'my run' --budget-usd 50\n");
    const status = await call('status', 'my run');
    expect(status.stdout).toContain('budget of the run: $25.00 of $25.00 (100 %)');
    expect(status.stdout).toContain("\n  attractor resume 'my run' --budget-usd 50\n");
    const more = await spend('resume', 'my run', '--budget-usd', '60');
    expect([more.status, more.stdout.includes('by default')]).toEqual([0, false]);
  });

  test('a budget that one request uses up is told of once', async () => {
    const { spend } = place({ 'p.dot': line('', ', budget_usd=0.5') });
    const { status, stdout } = await spend('run', 'p.dot');
    expect(status).toBe(3);
    expect(stdout.match(/^! .*allowed.*$/gm)).toEqual([
      '! Stage "plan" has used $1.00 of the $0.50 allowed: its budget is used up (200 %)',
    ]);
    expect(stdout).toContain('to continue this visit, resume the run with a larger --stage-budget');
  });

  test.each([
    ['a simulation', line(), ['--simulate']],
    ['a run whose stages the provider simulates', line(), ['--provider', 'simulated']],
    ['a pipeline with a budget', line(', budget_usd=90'), []],
    ['a pipeline that lifts it', line(', budget_usd=none'), []],
    ['a call with a budget', line(), ['--budget-usd', '90']],
    ['a call that lifts it', line(), ['--budget-usd', 'none']],
  ])('%s has no default', async (_name, dot, args) => {
    const { attractor: call, spend } = place({ 'p.dot': dot });
    const free = args.includes('--simulate') || args.includes('--provider');
    const run = free ? call('run', 'p.dot', ...args) : spend('run', 'p.dot', ...args);
    const { status, stdout } = await run;
    expect([status, stdout.includes('budget:')]).toEqual([0, false]);
  });

  test('the configuration changes it, also for `attractor cost`', async () => {
    const { spend } = place({ 'p.dot': line(), 'attractor.config.yaml': 'budget_usd: 7\n' });
    const { status, stdout } = await spend('run', 'p.dot', '--run-dir', 'run');
    expect([status, stdout.includes('budget: $7.00 by default')]).toEqual([3, true]);
    expect(stdout).toContain('attractor resume run --budget-usd 14');
    const lifted = place({ 'p.dot': line(), 'attractor.config.yaml': 'budget_usd: none\n' });
    expect((await lifted.spend('run', 'p.dot')).status).toBe(0);
    const wrong = place({ 'p.dot': line(), 'attractor.config.yaml': 'budget_usd: much\n' });
    const refused = await wrong.spend('run', 'p.dot');
    expect([refused.status, refused.stderr.includes('attractor.config.yaml:1:')]).toEqual([2, true]);
  });

  test('of a stage, by the argument that raises it', async () => {
    const { attractor: call, spend } = place({ 'p.dot': line('', ', budget_usd=10, budget_tokens=90000') });
    const first = await spend('run', 'p.dot', '--run-dir', 'run');
    expect(first.stdout).toContain('\n  resume:        attractor resume run --stage-budget plan=20\n');
    expect((await call('status', 'run')).stdout).toContain(
      '\n  attractor resume run --stage-budget plan=20\n',
    );
    const raised = await spend('resume', 'run', '--stage-budget', 'plan=20');
    expect(raised.stdout).toContain('"plan" has used $20.00 of the $20.00 allowed per visit');
    const ofRun = await spend('resume', 'run', '--budget-usd', '99');
    expect([ofRun.status, ofRun.stderr]).toEqual([2, expect.stringContaining('--stage-budget plan=40')]);
    const both = ['--stage-budget', 'plan=none', '--stage-budget', 'plan=300000tokens', '--budget-usd', '99'];
    const done = await spend('resume', 'run', ...both);
    expect(done.status).toBe(0);
  });

  test('a misspelt node is refused before anything is created', async () => {
    const { attractor: call, spend } = place({ 'p.dot': line() });
    const { status, stderr } = await spend('run', 'p.dot', '--stage-budget', 'plna=5');
    expect([status, stderr]).toEqual([2, expect.stringContaining('did you mean "plan"?')]);
    expect((await call('runs')).stdout).not.toContain('line');
  });
});
