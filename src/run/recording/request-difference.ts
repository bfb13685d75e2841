import type { Exchange, ExchangeRequest } from './exchange.js';
import { recordedValue, valueAsRecorded } from './recorded-value.js';
import { unifiedDiff } from './unified-diff.js';

interface Part {
  readonly name: string;
  readonly recorded: string;
  readonly now: string;
}

/**
 * Difference between a request and the recorded one: a name, and a diff. Undefined if they are the same,
 * apart from the locations and the ids of the runs.
 * @param normalize removes those
 */
export function requestDifference(
  { request: recorded, session }: Pick<Exchange, 'request' | 'session'>,
  now: ExchangeRequest,
  normalize: (text: string) => string,
): string | undefined {
  // The preamble mentions interruptions (§5.3, §9.2), and there is none this time.
  const parts = partsOf(recorded, now, normalize, session > 1);
  const different = parts.filter((part) => normalize(part.recorded) !== normalize(part.now));
  if (different.length === 0) return undefined;
  const names = different.map(({ name }) => name).join(' and ');
  const diffs = different.map(
    (part) =>
      `--- ${part.name}, recorded\n+++ ${part.name}, now\n${unifiedDiff(normalize(part.recorded), normalize(part.now))}`,
  );
  return `another ${names} than was recorded:\n${diffs.join('\n')}`;
}

/** @param mayBeResumed true if the prompt of the recorded stage may mention an interruption */
function partsOf(
  recorded: ExchangeRequest,
  now: ExchangeRequest,
  normalize: (text: string) => string,
  mayBeResumed: boolean,
): readonly Part[] {
  if (recorded.kind === 'backend' && now.kind === 'backend') {
    const [before, after] = mayBeResumed
      ? ownPrompts(normalize(recorded.prompt), normalize(now.prompt))
      : [recorded.prompt, now.prompt];
    const session = mayBeResumed
      ? []
      : [part('fidelity', recorded.fidelity, now.fidelity), part('thread', recorded.thread, now.thread)];
    return [
      part('prompt', before, after),
      part('system prompt', recorded.system_prompt, now.system_prompt),
      part('provider', recorded.provider, now.provider),
      part('model', recorded.model, now.model),
      part('reasoning effort', recorded.reasoning_effort, now.reasoning_effort),
      ...session,
      part('choice of routes', waysOf(recorded), waysOf(now)),
    ];
  }
  if (recorded.kind === 'tool' && now.kind === 'tool') {
    return [
      part('command', recorded.command, now.command),
      part('directory', recorded.directory, now.directory),
      part(
        'environment',
        linesOf(recorded.environment),
        linesOf(environmentAsRecorded(now, recorded, normalize)),
      ),
    ];
  }
  return [part('kind of stage', kindOf(recorded), kindOf(now))];
}

function part(name: string, recorded = '', now = ''): Part {
  return { name, recorded, now };
}

const separator = '\n\n---\n\n';

/**
 * Prompts of the stages themselves, if they can be separated from the preamble, which ends at the first
 * line of dashes.
 */
function ownPrompts(recorded: string, now: string): readonly [string, string] {
  const [ofRecorded, ofNow] = [recorded, now].map((prompt) => {
    const separatorIndex = prompt.indexOf(separator);
    return separatorIndex < 0 ? [prompt] : [prompt, prompt.slice(separatorIndex + separator.length)];
  });
  for (const before of ofRecorded ?? [])
    for (const after of ofNow ?? []) if (before === after) return [before, after];
  return [ofRecorded?.at(-1) ?? '', ofNow?.at(-1) ?? ''];
}

function waysOf({ labels = [], targets = [] }: Extract<ExchangeRequest, { kind: 'backend' }>): string {
  return [...labels.map((label) => `label ${label}`), ...targets.map((target) => `node ${target}`)].join(
    '\n',
  );
}

/** Variables with a manager's last view of its child, which depends on time. */
const telemetry =
  /^ATTRACTOR_CTX_STACK_CHILD_(?:ACTIVE_STAGES?|LAST_STAGE|COMPLETED_COUNT|RETRIES|FAILURES|ARTIFACTS|LAST_EVENT)$/;

/** Variable that follows from the visit, by which the exchange was found. */
const idempotencyKey = 'ATTRACTOR_IDEMPOTENCY_KEY';

type Environment = Extract<ExchangeRequest, { kind: 'tool' }>['environment'];

function linesOf(environment: Environment): string {
  return environment
    .filter(([name]) => !telemetry.test(name) && name !== idempotencyKey)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');
}

/** Environment with long values in the form of the recording, which has only their hash. */
function environmentAsRecorded(
  { environment }: { readonly environment: Environment },
  recorded: { readonly environment: Environment },
  normalize: (text: string) => string,
): Environment {
  const values = new Map(recorded.environment);
  return environment.map(([name, value]): [string, string] => {
    const before = values.get(name);
    return [
      name,
      before === undefined ? recordedValue(value, normalize) : valueAsRecorded(value, before, normalize),
    ];
  });
}

function kindOf(request: ExchangeRequest): string {
  switch (request.kind) {
    case 'backend':
      return 'a model';
    case 'tool':
      return 'a tool';
    case 'handler':
      return `a handler of \`${request.type}\``;
  }
}
