import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { attractor as attractorHere } from '../../cli/attractor.js';
import { attractor, directoryWith, startAttractor } from './attractor.js';

// Nothing that a run writes or prints has a secret (DESIGN §4), whoever says it: each byte of it is looked at.

const secrets = {
  /** With everything that is written otherwise in JSON, in an address or in base64. */
  LEAKED_API_KEY: 'kEy "With\\odd/chars+and 12345\u00e9',
  PLAIN_TOKEN: 'plain-token-0123456789',
  /** Only the configuration says that it is a key. */
  ODDLY_NAMED: 'oddly-named-987654321',
};
const ofFile = 'only-in-the-file-5550123';
const unknown = 'sk-ant-api03-aB3dE6gH9jK2mN5pQ8sT';
const every = [...Object.values(secrets), ofFile, unknown];

const leak = 'printf \'%s\\n\' \\"$LEAKED_API_KEY $PLAIN_TOKEN $ODDLY_NAMED\\"';

const pipeline = `digraph leaks {
  // comment: ${secrets.PLAIN_TOKEN}
  goal="keep ${secrets.PLAIN_TOKEN} secret"
  start [shape=Mdiamond]
  done [shape=Msquare]
  node [max_retries=0]
  says [shape=parallelogram, label="with ${unknown}", tool_command="${leak}; ${leak} >&2; printf 'head ${unknown.slice(0, 9)}'; sleep 0.3; echo ${unknown.slice(9)} tail"]
  slow [shape=parallelogram, tool_command="printf %s \\"$PLAIN_TOKEN\\" | cut -c1-9 | tr -d '\\\\n'; sleep 0.3; printf %s \\"$PLAIN_TOKEN\\" | cut -c10-; until test -f go; do sleep 0.02; done; exit 3"]
  status [shape=parallelogram, tool_command="printf '{\\"outcome\\":\\"success\\",\\"notes\\":\\"%s\\"}' $PLAIN_TOKEN > $ATTRACTOR_STAGE_DIR/status.json"]
  broken [shape=parallelogram, tool_command="echo $PLAIN_TOKEN > $ATTRACTOR_STAGE_DIR/status.json"]
  replies [prompt="Use ${secrets.PLAIN_TOKEN} and \${context.tool.output} \${inputs.token}"]
  throws [prompt="x"]
  reports [prompt="x"]
  files [prompt="x"]
  leaks [type=leak]
  after [prompt="\${context.said} \${context.answered}"]
  gate [shape=hexagon, label="Say \${context.said}?"]
  child [type=pipeline, child="child.dot", "params.token"="\${inputs.token}"]
  fan [shape=component]
  one [shape=parallelogram, tool_command="${leak}"]
  two [shape=parallelogram, tool_command="${leak}"]
  join [shape=tripleoctagon, prompt="best of \${inputs.token}"]
  start -> says -> slow
  slow -> status [condition="outcome=fail"]
  slow -> status
  status -> broken
  broken -> replies [condition="outcome=fail"]
  broken -> replies
  replies -> throws
  throws -> reports [condition="outcome=fail"]
  throws -> reports
  reports -> files -> leaks -> after -> gate
  gate -> child [label="[Y] Yes"]
  gate -> done [label="[N] No"]
  child -> fan
  fan -> one
  fan -> two
  one -> join
  two -> join
  join -> done
}
`;

const child = `digraph child {
  start [shape=Mdiamond]
  done [shape=Msquare]
  inner [shape=parallelogram, label="${secrets.PLAIN_TOKEN}", tool_command="${leak}; exit 1"]
  asks [prompt="${secrets.PLAIN_TOKEN}"]
  start -> inner
  inner -> asks [condition="outcome=fail"]
  inner -> asks
  asks -> done
}
`;

function workplace(): string {
  const cwd = directoryWith({ 'leaks.dot': pipeline, 'child.dot': child });
  cpSync(path.join(import.meta.dirname, 'leaking-plugin.mjs'), path.join(cwd, 'leaking-plugin.mjs'));
  const configuration = {
    plugins: ['./leaking-plugin.mjs'],
    backend: 'leaky',
    keys_file: 'my.keys',
    providers: {
      mine: { kind: 'openai-compatible', api_key_env: 'ODDLY_NAMED', base_url: 'http://127.0.0.1:1/v1' },
    },
  };
  writeFileSync(path.join(cwd, 'attractor.config.json'), JSON.stringify(configuration));
  writeFileSync(path.join(cwd, 'my.keys'), `FILE_VALUE=${ofFile}\n`, { mode: 0o600 });
  return cwd;
}

/** In all the ways in which a value is usually written. */
function spellings(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    bytes.toString('base64').slice(0, -4),
    Buffer.from(`u:${value}`).toString('base64').slice(3, -4),
  ];
}

function secretsIn(bytes: Buffer): readonly string[] {
  return every.filter((value) => spellings(value).some((spelling) => bytes.includes(Buffer.from(spelling))));
}

/** Every file below a directory that has a secret, in its content or its name. */
function leakingFiles(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => [readFileSync(file), Buffer.from(file)].some((bytes) => secretsIn(bytes).length > 0));
}

function printed(
  ...calls: readonly { readonly stdout: string; readonly stderr: string }[]
): readonly string[] {
  return secretsIn(Buffer.from(calls.map(({ stdout, stderr }) => stdout + stderr).join('\n')));
}

test('a run of every kind of stage, killed in the middle and resumed, leaves no secret anywhere', async () => {
  const cwd = workplace();
  const env = secrets;
  const inputs = [
    '--set',
    `token=${secrets.PLAIN_TOKEN}`,
    '--set',
    `other=${unknown}`,
    '--set',
    `deep={"a":["${ofFile}"]}`,
  ];
  const answers = ['--answer', `leaks=${secrets.PLAIN_TOKEN}`, '--answer', 'gate=Y'];
  const call = ['leaks.dot', '--run-dir', 'r', '--record', '--events', ...inputs, ...answers];
  const running = startAttractor(['run', ...call], { cwd, env });
  const slow = path.join(cwd, 'r', 'slow', 'stdout.log');
  await running.until('the second tool', () => existsSync(slow) && readFileSync(slow, 'utf8').includes('\n'));
  running.kill('SIGKILL');
  const killed = await running.finished;
  expect(leakingFiles(path.join(cwd, 'r'))).toEqual([]);
  writeFileSync(path.join(cwd, 'go'), '');

  const resumed = await attractor(['resume', 'r', '--json'], { cwd, env });
  expect(JSON.parse(resumed.stdout)).toMatchObject({ status: 'success' });
  const shown = await Promise.all(
    [
      ['status', 'r'],
      ['logs', 'r'],
      ['logs', 'r', 'says'],
      ['render', 'leaks.dot', '--run', 'r', '-o', 'out.svg'],
    ].map((args) => attractorHere(args, { cwd, env: { ...env, LEAKED_API_KEY: undefined } })),
  );
  expect(printed(killed, resumed, ...shown)).toEqual([]);
  expect(leakingFiles(path.join(cwd, 'r'))).toEqual([]);

  const replayed = await attractor(['run', 'leaks.dot', '--replay', 'r', '--run-dir', 'again'], { cwd, env });
  expect(replayed).toMatchObject({ status: 0 });
  expect(printed(replayed)).toEqual([]);
  expect(leakingFiles(path.join(cwd, 'again'))).toEqual([]);

  const says = readFileSync(path.join(cwd, 'r', 'says', 'stdout.log'), 'utf8');
  expect(says).toBe(
    '[redacted:LEAKED_API_KEY] [redacted:PLAIN_TOKEN] [redacted:ODDLY_NAMED]\nhead [redacted:anthropic key] tail\n',
  );
  expect(readFileSync(slow, 'utf8')).toContain('[redacted:PLAIN_TOKEN]\n');
  const prompts = readFileSync(path.join(cwd, 'prompts.txt'));
  expect(prompts.toString()).toContain('Use [redacted:PLAIN_TOKEN] and ');
  expect(prompts.toString()).toContain('[redacted:LEAKED_API_KEY]');
  expect(secretsIn(prompts)).toEqual([]);
});

test('what kept a command from running is told without secrets', async () => {
  const cwd = workplace();
  const calls = [
    ['run', 'leaks.dot', '--set', secrets.PLAIN_TOKEN],
    ['run', `${secrets.PLAIN_TOKEN}.dot`],
    ['run', 'leaks.dot', '--answer', `says=${secrets.PLAIN_TOKEN}`],
    ['resume', secrets.PLAIN_TOKEN],
    ['run', 'leaks.dot', '--backend', secrets.PLAIN_TOKEN],
  ];
  const failed = await Promise.all(calls.map((args) => attractorHere(args, { cwd, env: secrets })));
  expect(failed.map(({ status }) => status)).toEqual(calls.map(() => 2));
  expect(printed(...failed)).toEqual([]);
});

/** Compares the values without naming them: those of secrets are not kept. */
const keysPipeline = `digraph keys {
  start [shape=Mdiamond]
  done [shape=Msquare]
  tool [shape=parallelogram, tool_command="test -z \\"$INNER_KEY\\" && test \\"$OUTER_KEY\\" = from-the-'file-1' && test \\"$PLAIN_TOKEN\\" = plain-of-'the-shell'"]
  start -> tool -> done
}
`;

describe('a key file', () => {
  const content =
    'INNER_KEY=inner-key-value\nexport OUTER_KEY="from-the-file-1" # exported\nexport PLAIN_TOKEN=of-the-file\n';

  test('gives tools what it exports, and real variables go first', async () => {
    const cwd = directoryWith({ 'keys.dot': keysPipeline });
    const home = path.join(cwd, 'home', '.config', 'attractor');
    mkdirSync(home, { recursive: true });
    writeFileSync(path.join(home, 'keys.env'), content, { mode: 0o600 });
    const env = {
      HOME: path.join(cwd, 'home'),
      XDG_CONFIG_HOME: undefined,
      PLAIN_TOKEN: 'plain-of-the-shell',
    };
    const done = await attractor(['run', 'keys.dot', '--run-dir', 'r'], { cwd, env });
    expect(done).toMatchObject({ status: 0 });
  });

  test('that others can read is refused before anything is done', async () => {
    const cwd = workplace();
    chmodSync(path.join(cwd, 'my.keys'), 0o640);
    const refused = await attractorHere(['run', 'leaks.dot', '--run-dir', 'r'], { cwd, env: secrets });
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain('is open to others (its mode is 0640). Close it to them: chmod 600 ');
    expect(existsSync(path.join(cwd, 'r'))).toBe(false);
  });
});
