import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventsOf, fileOf, jsonOf, pipeline, runOnDisk, type Setup, testEach } from '../run/harness.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { virtualClock, virtualStart } from '../support/virtual-clock.js';

/** A pipeline whose only stage runs a command. */
function tool(command: string, attributes = '', ...more: readonly string[]): string {
  const written = JSON.stringify(command);
  return pipeline(
    `t [shape=parallelogram, prompt="", tool_command=${written}${attributes}]`,
    'start -> t -> exit',
    ...more,
  );
}

/** The outcome that the stage came to. */
async function outcomeOf(dot: string, setup: Setup = {}) {
  const run = await runOnDisk(dot, setup);
  const event = run.events.find((event) => 'outcome' in event && event.node_id === 't');
  if (event === undefined || !('outcome' in event)) throw new Error('the tool did not settle');
  return { ...run, outcome: event.outcome };
}

interface ToolCase {
  readonly name: string;
  readonly command: string;
  readonly outcome: object;
}

const cases: readonly ToolCase[] = [
  {
    name: 'exit 0 is a success, with the output as it was',
    command: "printf 'one\\ntwo \\n'; echo oops >&2",
    outcome: {
      status: 'success',
      context_updates: {
        'tool.output': 'one\ntwo \n',
        'tool.stderr': 'oops\n',
        'tool.exit_code': 0,
        'tool.last_line': 'two',
      },
    },
  },
  {
    name: 'another exit code is a failure, with the ends of both streams as its reason',
    command: 'echo out; echo broken >&2; exit 7',
    outcome: {
      status: 'fail',
      failure_reason: 'exit code 7: broken\nstandard output:\nout',
      context_updates: { 'tool.output': 'out\n', 'tool.stderr': 'broken\n', 'tool.exit_code': 7 },
    },
  },
  {
    name: 'without stderr the code is all there is to say',
    command: 'exit 3',
    outcome: { status: 'fail', failure_reason: 'exit code 3' },
  },
  {
    name: 'a command that is not there',
    command: 'no_such_command_here',
    outcome: { status: 'fail', failure_reason: expect.stringMatching(/^exit code 127: .*not found/) },
  },
  {
    name: 'a syntax error of the shell',
    command: 'if',
    outcome: { status: 'fail', failure_reason: expect.stringMatching(/^exit code 2: /) },
  },
  {
    name: 'a signal is a failure',
    command: 'echo before; kill -9 $$',
    outcome: {
      status: 'fail',
      failure_reason: 'ended by SIGKILL',
      context_updates: { 'tool.output': 'before\n', 'tool.stderr': '', 'tool.last_line': 'before' },
    },
  },
  {
    name: '59a: standard input is closed',
    command: 'cat; echo done',
    outcome: { status: 'success', context_updates: expect.objectContaining({ 'tool.output': 'done\n' }) },
  },
  {
    name: '4.10: without a command',
    command: '  ',
    outcome: { status: 'fail', failure_reason: 'No tool_command specified' },
  },
  {
    name: '60: $goal is left to the shell',
    command: 'goal=shell; echo $goal',
    outcome: { context_updates: expect.objectContaining({ 'tool.output': 'shell\n' }) },
  },
];

describe('4.10, 59: a tool', () => {
  testEach(cases, async ({ command, outcome }) => {
    expect((await outcomeOf(tool(command))).outcome).toMatchObject(outcome);
  });

  test('leaves its whole output in files', async () => {
    const { directory } = await runOnDisk(tool('echo out; echo err >&2; exit 1'));
    expect(fileOf(directory, 't', 'stdout.log')).toBe('out\n');
    expect(fileOf(directory, 't', 'stderr.log')).toBe('err\n');
    expect(jsonOf(directory, 't', 'status.json')).toMatchObject({
      outcome: 'fail',
      failure_reason: 'exit code 1: err\nstandard output:\nout',
    });
  });

  test.each([
    ['standard output alone', 'echo "2 failed"; exit 1', 'exit code 1: 2 failed'],
    [
      'both, the error output first',
      'echo "2 failed"; echo "npm warn" >&2; exit 1',
      'exit code 1: npm warn\nstandard output:\n2 failed',
    ],
    ['without colours', "printf '\\033[31m10 %%\\r2 failed\\033[0m\\n'; exit 1", 'exit code 1: 2 failed'],
    ['one that is not blank', 'echo "2 failed"; echo >&2; exit 1', 'exit code 1: 2 failed'],
    ['what it said before a signal does not tell why', 'echo out; kill -9 $$', 'ended by SIGKILL'],
    ['nothing', 'exit 3', 'exit code 3'],
  ])('19: fails with what it said: %s', async (_what, command, reason) => {
    expect((await outcomeOf(tool(command))).outcome.failure_reason).toBe(reason);
  });

  test.each([
    ['many lines', 'seq 1 2000', /^exit code 1: (?:\d{4}\n)+2000$/, 1999],
    ['one very long line', "printf 'x%.0s' $(seq 1 3000)", /^exit code 1: …x+$/, 2001],
    [
      'a very long line and a short one',
      "printf 'x%.0s' $(seq 1 3000); echo; echo END",
      /^exit code 1: …x+\nEND$/,
      2001,
    ],
    [
      'a long line with the end of another',
      "printf 'x%.0s' $(seq 1 3000); echo; seq 1 400",
      /^exit code 1: 1\n2\n/,
      1491,
    ],
  ])('fails with the end of what it said, from a line on: %s', async (_what, command, reason, length) => {
    const { outcome } = await outcomeOf(tool(`(${command}) >&2; exit 1`));
    expect(outcome.failure_reason).toMatch(reason);
    expect(outcome.failure_reason?.length).toBe('exit code 1: '.length + length);
  });

  test.each([
    [
      'long ones share the room',
      'seq 1000 1999',
      'seq 2000 2999 >&2',
      /: 2800\n[\s\S]*2999\nstandard output:\n1800\n[\s\S]*1999$/,
    ],
    [
      'a short one leaves it its room',
      'seq 1000 1999',
      'echo err >&2',
      /: err\nstandard output:\n1601\n[\s\S]*1999$/,
    ],
    ['either way', 'echo out', 'seq 1000 1999 >&2', /: 1601\n[\s\S]*1999\nstandard output:\nout$/],
  ])('19: both streams have their ends: %s', async (_what, output, errors, reason) => {
    const { outcome } = await outcomeOf(tool(`${output}; ${errors}; exit 1`));
    expect(outcome.failure_reason).toMatch(reason);
  });

  test('keeps the last 64 KiB in the context, from a whole character on', async () => {
    const { outcome, directory, events } = await outcomeOf(
      tool("i=0; while [ $i -lt 30000 ]; do printf '€€€'; i=$((i+1)); done; echo"),
    );
    const output = String(outcome.context_updates?.['tool.output']);
    expect(Buffer.byteLength(output)).toBe(64 * 1024 - ((64 * 1024 - 1) % 3));
    expect(output).toMatch(/^€+\n$/);
    expect(fileOf(directory, 't', 'stdout.log').length).toBe(90_001);
    expect(eventsOf(events, 'LogAppended').map(({ message }) => message)).toEqual([
      'stdout of "t" is 270001 bytes; the context holds its last 64 KiB, stdout.log holds all of it',
    ]);
  });

  test('exactly 64 KiB are not cut', async () => {
    const { outcome, events } = await outcomeOf(tool('head -c 65536 /dev/zero | tr "\\0" x'));
    expect(outcome.context_updates?.['tool.output']).toBe('x'.repeat(65_536));
    expect(eventsOf(events, 'LogAppended')).toEqual([]);
  });

  test('survives output that is not text', async () => {
    const { result } = await runOnDisk(tool("printf '\\377\\000a'"));
    expect(result).toMatchObject({ status: 'success', context: { 'tool.output': '\uFFFD\0a' } });
  });
});

describe('95: where a tool runs', () => {
  const pwd = 'pwd -P';
  test.each([
    ['by default where the run was started', '', [], ''],
    ['in the workdir of the graph', '', ['workdir=sub'], 'sub'],
    ['in its own workdir', ', workdir="sub/deep"', ['workdir=sub'], 'sub/deep'],
  ])('%s', async (_what, attributes, more, expected) => {
    const workingDirectory = temporaryDirectory();
    mkdirSync(path.join(workingDirectory, 'sub', 'deep'), { recursive: true });
    const { outcome } = await outcomeOf(tool(pwd, attributes, ...more), { workingDirectory });
    expect(outcome.context_updates?.['tool.last_line']).toBe(path.join(workingDirectory, expected));
  });

  test('a workdir that is missing is a failure that no retry helps', async () => {
    const { outcome, events } = await outcomeOf(tool(pwd, ', workdir="nowhere", max_retries=2'));
    expect(outcome.failure_reason).toMatch(/the working directory ".*nowhere" does not exist/);
    expect(eventsOf(events, 'StageRetrying')).toEqual([]);
  });
});

describe('59a, 95: the environment of a tool', () => {
  test('says what it is and where its files go', async () => {
    const dot = tool(
      'env; echo >&2; test -d "$ATTRACTOR_STAGE_DIR"',
      ', retry_target=t, max_retries=1',
      'goal="Ship \\"it\\""',
    );
    const { result, directory } = await runOnDisk(dot, {
      inputs: { 'a.b-c': true, nested: { no: 1 }, n: 1.5, nul: 'a\0b' },
    });
    const environment = new Set(String(result.context['tool.output']).split('\n'));
    for (const variable of [
      `ATTRACTOR_RUN_ID=${result.run_id}`,
      'ATTRACTOR_NODE_ID=t',
      `ATTRACTOR_STAGE_DIR=${directory}/t`,
      `ATTRACTOR_LOGS_ROOT=${directory}`,
      'ATTRACTOR_GOAL=Ship "it"',
      'ATTRACTOR_VISIT=1',
      'ATTRACTOR_ATTEMPT=1',
      `ATTRACTOR_IDEMPOTENCY_KEY=${result.run_id}/t/1`,
      'ATTRACTOR_CTX_A_B_C=true',
      'ATTRACTOR_CTX_INPUTS_N=1.5',
      'ATTRACTOR_CTX_NUL=ab',
      'ATTRACTOR_CTX_GRAPH_GOAL=Ship "it"',
      'ATTRACTOR_CTX_OUTCOME=success',
      `PATH=${process.env.PATH}`,
    ]) {
      expect(environment).toContain(variable);
    }
    const names = [...environment].map((line) => line.split('=')[0]);
    expect(names).not.toContain('ATTRACTOR_CTX_NESTED');
    expect(names.filter((name) => name?.startsWith('ATTRACTOR_CTX_INTERNAL'))).toEqual([]);
  });

  test('36: has another idempotency key for every visit, after a restart too, and the same for every attempt', async () => {
    const dot = pipeline(
      'node [shape=parallelogram]',
      't [max_retries=1, tool_command="echo $ATTRACTOR_IDEMPOTENCY_KEY >> keys; test $ATTRACTOR_ATTEMPT -eq 2"]',
      'again [tool_command="test $(wc -l < keys) -ge 8"]',
      'once [tool_command="true"]',
      'start -> t -> again',
      'again -> exit [condition="outcome=success"]',
      'again -> once [condition="outcome=fail && context.internal.restart_count!=1"]',
      'again -> t [condition="outcome=fail && context.internal.restart_count=1"]',
      'once -> t [loop_restart=true]',
    );
    const workingDirectory = temporaryDirectory();
    const { result } = await runOnDisk(dot, { workingDirectory });
    expect(result.status).toBe('success');
    const keys = fileOf(workingDirectory, 'keys').trimEnd().split('\n');
    const { run_id: id } = result;
    const visits = [`${id}/t/1`, `${id}/restart-1/t/1`, `${id}/restart-1/t/2`, `${id}/restart-1/t/3`];
    expect(keys).toEqual(visits.flatMap((key) => [key, key]));
  });

  test.each(['x'.repeat(200_000), '€'.repeat(60_000)])(
    'leaves out a value that is too long for the system, instead of not starting',
    async (long) => {
      const dot = tool('echo "[$ATTRACTOR_CTX_LONG]"');
      const { outcome, events } = await outcomeOf(dot, { inputs: { long } });
      expect(outcome).toMatchObject({ status: 'success', context_updates: { 'tool.output': '[]\n' } });
      expect(eventsOf(events, 'LogAppended')).toMatchObject([
        {
          level: 'info',
          message: expect.stringMatching(/context values.*"inputs\.long" \(\d+ bytes\), "long"/),
        },
      ]);
    },
  );

  test('is without the largest values where together they are too much for the system, and the log says so', async () => {
    const sizes = Array.from({ length: 40 }, (_, index) => 5000 + 1700 * index);
    const inputs = Object.fromEntries(sizes.map((size) => [`v${size}`, 'x'.repeat(size)]));
    const show = `for size in ${sizes.join(' ')}; do eval "echo \\\${#ATTRACTOR_CTX_V$size}"; done; env | wc -c`;
    const { outcome, events } = await outcomeOf(tool(show), { inputs });
    expect(outcome.status).toBe('success');
    const shown = String(outcome.context_updates?.['tool.output']).trim().split('\n').map(Number);
    const total = shown.pop() ?? 0;
    const kept = shown.filter((length) => length > 0);
    expect(kept).toEqual(sizes.slice(0, kept.length));
    expect(kept.length).toBeGreaterThan(5);
    // Each is there twice, as inputs.<key> too.
    const inherited = Buffer.byteLength(JSON.stringify(process.env));
    expect(total).toBeGreaterThan(400_000);
    expect(total).toBeLessThan(512 * 1024 + inherited + 10_000);
    const [logged, ...others] = eventsOf(events, 'LogAppended').map(({ message }) => message);
    expect(others).toEqual([]);
    expect(logged).toMatch(
      /^the environment of "t" does not include the largest context values.*: "inputs\.v71300" \(71\d{3} bytes\), "v71300"/,
    );
    expect(logged).toMatch(
      / and \d+ more\. Its command can have a value .* as \$\{context\.KEY\}; .* artifacts\//,
    );
  });

  test('lacks nothing as long as all of it is small', async () => {
    const inputs = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`v${index}`, 'x'.repeat(12_000)]),
    );
    const { outcome, events } = await outcomeOf(tool('env | grep -c ATTRACTOR_CTX_.*xxx'), { inputs });
    expect(outcome.context_updates?.['tool.output']).toBe('40\n');
    expect(eventsOf(events, 'LogAppended')).toEqual([]);
  });

  test('has absolute paths, wherever it runs', async () => {
    const workingDirectory = temporaryDirectory();
    mkdirSync(path.join(workingDirectory, 'sub'));
    const runDirectory = path.relative(process.cwd(), path.join(workingDirectory, 'run'));
    const command =
      'echo \'{"outcome":"success","notes":"from the tool"}\' > "$ATTRACTOR_STAGE_DIR/status.json"';
    const { outcome } = await outcomeOf(tool(command, ', workdir=sub'), { workingDirectory, runDirectory });
    expect(outcome).toMatchObject({ status: 'success', notes: 'from the tool' });
  });
});

/** Starts a grandchild that outlives its shell, and leaves both process ids. */
const withGrandchild = (pids: string) =>
  `sleep 1000 & echo $! >> ${pids}; sh -c 'trap "" TERM; echo $$ >> ${pids}; echo ready >> ${pids}; while :; do sleep 0.05; done'`;

function isReady(pids: string): boolean {
  return existsSync(pids) && readFileSync(pids, 'utf8').includes('ready');
}

/** A process that was killed takes the system a moment to be gone. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    return false;
  }
}

describe.skipIf(!existsSync('/proc/self/stat'))('59a: a tool that is stopped', () => {
  test('takes its whole process group with it when the time is up', async () => {
    const pids = path.join(temporaryDirectory(), 'pids');
    // Two hours pass once the processes are there; then the clock stands still until they are gone.
    const clock = virtualClock({ mayPass: () => isReady(pids) && clock.now() === virtualStart });
    const { outcome, result } = await outcomeOf(
      tool(`echo begun; ${withGrandchild(pids)}`, ', timeout="2h"'),
      { clock },
    );
    expect(outcome).toMatchObject({
      status: 'fail',
      failure_reason: 'timeout after 2h',
      context_updates: { 'tool.output': 'begun\n' },
    });
    expect(result.duration_ms).toBeGreaterThanOrEqual(7_200_000);
    const ids = readFileSync(pids, 'utf8').split('\n').map(Number).filter(Boolean);
    expect(ids.length).toBe(2);
    await until(() => !ids.some(isRunning));
  });

  test('and when the run is cancelled', async () => {
    const pids = path.join(temporaryDirectory(), 'pids');
    const cancelling = new AbortController();
    const waiting = setInterval(() => {
      if (isReady(pids)) cancelling.abort();
    }, 5);
    const { result } = await runOnDisk(tool(withGrandchild(pids)), {
      signal: cancelling.signal,
      clock: virtualClock({ mayPass: () => false }),
    });
    clearInterval(waiting);
    expect(result.status).toBe('cancelled');
    const ids = readFileSync(pids, 'utf8').split('\n').map(Number).filter(Boolean);
    await until(() => !ids.some(isRunning));
  });
});

describe('59b, 61, 84: a status file that a tool writes', () => {
  const writes = (content: string, then = '') => {
    const directory = temporaryDirectory();
    writeFileSync(path.join(directory, 'status'), content);
    return tool(`echo out; cp ${directory}/status "$ATTRACTOR_STAGE_DIR/status.json"; ${then}`);
  };
  const json = (value: object) => JSON.stringify(value);

  test.each<[name: string, content: string, then: string, outcome: object]>([
    [
      'wins over the exit code 0',
      json({ outcome: 'fail', failure_reason: 'no' }),
      '',
      { status: 'fail', failure_reason: 'no' },
    ],
    ['84: wins over another exit code', json({ outcome: 'success' }), 'exit 1', { status: 'success' }],
    [
      'keeps what the tool printed in the context',
      json({ outcome: 'success', context_updates: { x: 1, 'tool.exit_code': 'mine' } }),
      '',
      { context_updates: { x: 1, 'tool.output': 'out\n', 'tool.exit_code': 'mine' } },
    ],
    [
      'may call the label preferred_next_label',
      json({ outcome: 'success', preferred_next_label: 'Go', suggested_next_ids: ['a'] }),
      '',
      { preferred_label: 'Go', suggested_next_ids: ['a'] },
    ],
    [
      'may say status',
      json({ status: 'partial_success', notes: 'n' }),
      '',
      { status: 'partial_success', notes: 'n' },
    ],
    [
      'may say null where it has nothing to say',
      json({ outcome: 'success', notes: null }),
      '',
      { status: 'success' },
    ],
    ['44g: may say succeeded', json({ outcome: 'succeeded' }), 'exit 1', { status: 'success' }],
    ['44g: may say error', json({ outcome: 'error' }), '', { status: 'fail' }],
    ['37: may say skipped', json({ outcome: 'skipped' }), '', { status: 'skipped' }],
    [
      '84: must not say SUCCESS',
      json({ outcome: 'SUCCESS' }),
      '',
      { status: 'fail', failure_reason: expect.stringContaining('invalid status.json') },
    ],
    [
      '44g: must not say another word',
      json({ outcome: 'needs_dod' }),
      '',
      { status: 'fail', failure_reason: expect.stringContaining('invalid status.json') },
    ],
    [
      'must be JSON',
      'not json',
      '',
      { status: 'fail', failure_reason: 'invalid status.json: it is not JSON' },
    ],
    [
      'must be an object',
      '[]',
      '',
      { status: 'fail', failure_reason: expect.stringContaining('invalid status.json') },
    ],
    [
      'must have an outcome',
      '{}',
      '',
      { status: 'fail', failure_reason: expect.stringContaining('invalid status.json') },
    ],
    [
      '84: cannot turn a signal into a success',
      json({ outcome: 'success' }),
      'kill -9 $$',
      { status: 'fail', failure_reason: 'ended by SIGKILL' },
    ],
  ])('%s', async (_name, content, then, outcome) => {
    expect((await outcomeOf(writes(content, then))).outcome).toMatchObject(outcome);
  });

  test('59b: cannot turn a timeout into a success', async () => {
    const ready = path.join(temporaryDirectory(), 'ready');
    const clock = virtualClock({ mayPass: () => existsSync(ready) && clock.now() === virtualStart });
    const command = `echo '{"outcome":"success"}' > "$ATTRACTOR_STAGE_DIR/status.json"; touch ${ready}; sleep 1000`;
    const { outcome } = await outcomeOf(tool(command, ', timeout=1s'), { clock });
    expect(outcome).toMatchObject({ status: 'fail', failure_reason: 'timeout after 1s' });
  });

  test('59b: is not taken for that of the next attempt', async () => {
    const flag = path.join(temporaryDirectory(), 'flag');
    const command = `test -e ${flag} && exit 0; touch ${flag}; echo '{"outcome":"retry"}' > "$ATTRACTOR_STAGE_DIR/status.json"`;
    const { result, directory } = await runOnDisk(tool(command, ', max_retries=1'));
    expect(result.status).toBe('success');
    expect(jsonOf(directory, 't', 'status.json').outcome).toBe('success');
  });
});
