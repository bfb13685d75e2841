import type { ComponentChildren } from 'preact';
import { formatDuration } from '../../../view/format-duration.js';
import { formatCount, formatMoney } from '../../../view/format-values.js';
import { routeWords } from '../../../view/route-words.js';
import type { StageVisit } from '../../../view/stage-schema.js';
import { CopyButton } from '../../ui/copy-button.jsx';
import { Age, Duration } from '../../ui/times.jsx';
import { FailureReason } from '../failure-reason.jsx';
import { visitWords } from '../visit-words.js';
import { AnsiText } from './ansi-text.jsx';
import { StageFile } from './stage-file.jsx';
import { StageValues } from './stage-values.jsx';
import { ToolUses } from './tool-uses.jsx';

interface VisitDetailsProps {
  readonly runId: string;
  /** Path of the stage at the server. */
  readonly path: string;
  readonly visit: StageVisit;
  /** Command of a tool as the pipeline has it. */
  readonly command: string | undefined;
  /** Branches of a parallel node. */
  readonly children: ComponentChildren;
}

type StageFileOfVisit = StageVisit['files'][number];

/** Files that everybody looks for, by what they are (DESIGN §4). */
const knownFiles: ReadonlyMap<string, string> = new Map([
  ['prompt.md', 'Prompt'],
  ['response.md', 'Response'],
  ['stdout.log', 'Standard output'],
  ['stderr.log', 'Standard error'],
]);

/** A visit of a stage in full (§3.2). */
export function VisitDetails({ runId, path, visit, command, children }: VisitDetailsProps) {
  const { word, colour } = visitWords[visit.status];
  const isEarlier = (file: StageFileOfVisit): boolean => /^attempt-[0-9]+\//.test(file.path);
  const others = visit.files.filter((file) => !knownFiles.has(file.path) && !isEarlier(file));
  const earlier = visit.files.filter(isEarlier);
  const isLive = visit.status === 'running';
  const filesOf = (isWanted: (file: StageFileOfVisit) => boolean) =>
    [...knownFiles.keys()]
      .flatMap((name) => visit.files.filter((file) => file.path === name))
      .filter(isWanted)
      .map((file) => (
        <StageFile
          // One that grows is followed; of one that has changed the new text is loaded.
          key={isLive ? file.path : `${file.path} ${file.bytes}`}
          base={path}
          visit={visit.visit}
          file={file}
          isLive={isLive && file.path.endsWith('.log')}
          title={knownFiles.get(file.path) ?? file.path}
          isOpen={
            file.path === 'prompt.md' || file.path === 'response.md' || visit.status === 'fail' || isLive
          }
        />
      ));
  return (
    <>
      <p class="row">
        <span class="badge" data-state={colour}>
          {word}
        </span>
        {visit.simulated && <span class="badge">simulated</span>}
        <Duration from={visit.started_at} ms={durationOf(visit)} />
        <span class="muted small">
          began <Age at={visit.started_at} />
          {visit.branch !== null && ` in branch ${visit.branch}`}
        </span>
      </p>
      {visit.failure_reason !== null && (
        <FailureReason reason={visit.failure_reason} isFailure={colour !== 'done'} />
      )}
      {visit.notes !== null && <p class="text-plain">{visit.notes}</p>}
      <Next visit={visit} />
      <Questions visit={visit} />
      {children}
      <StageValues
        runId={runId}
        path={path}
        visit={visit}
        inputs={[
          ...(command === undefined ? [] : [<Command key="command" command={command} />]),
          ...filesOf(isInput),
        ]}
        outputs={filesOf((file) => knownFiles.has(file.path) && !isInput(file))}
      />
      <Attempts visit={visit} />
      {earlier.map((file) => (
        <StageFile
          key={`${file.path} ${file.bytes}`}
          base={path}
          visit={visit.visit}
          file={file}
          title={titleOfEarlier(file.path)}
        />
      ))}
      <UsageLine visit={visit} />
      <ToolUses uses={visit.tool_uses} count={visit.tool_calls} />
      <Log visit={visit} />
      <ChildRuns visit={visit} />
      {others.length > 0 && (
        <Part title="Files">
          {others.map((file) => (
            <StageFile key={`${file.path} ${file.bytes}`} base={path} visit={visit.visit} file={file} />
          ))}
        </Part>
      )}
    </>
  );
}

function isInput({ path }: StageFileOfVisit): boolean {
  return path === 'prompt.md';
}

function Command({ command }: { readonly command: string }) {
  return (
    <details open>
      <summary>Command</summary>
      <div class="file-text">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys */}
        <pre class="text" tabIndex={0}>
          {command}
        </pre>
        <CopyButton text={command} what="the command" />
      </div>
    </details>
  );
}

/** `attempt-2/stdout.log` for people. */
function titleOfEarlier(path: string): string {
  const [, attempt, name = path] = /^attempt-([0-9]+)\/(.+)$/.exec(path) ?? [];
  return `Attempt ${attempt}: ${knownFiles.get(name) ?? name}`;
}

function Part({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="part">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Next({ visit: { next, preferred_label: preferred } }: { readonly visit: StageVisit }) {
  if (next === null) return null;
  return (
    <p>
      Control went to <code>{next.to}</code>
      {next.label !== null && next.label !== '' && <span> along “{next.label}”</span>}
      <span class="muted">: {routeWords(next.reason)}</span>
      {next.condition !== null && next.condition !== '' && (
        <span class="muted">
          {' '}
          (<code>{next.condition}</code>)
        </span>
      )}
      {preferred !== null && preferred !== next.label && (
        <span class="muted">; the stage preferred “{preferred}”</span>
      )}
      {next.loop_restart && <span>; the pipeline restarted</span>}.
    </p>
  );
}

function Questions({ visit: { questions } }: { readonly visit: StageVisit }) {
  if (questions.length === 0) return null;
  return (
    <Part title="Questions">
      {questions.map(({ id, text, answer, duration_ms: duration }) => (
        <div key={id} class="past-question">
          <p class="text-plain">{text}</p>
          <p class={answer === null ? 'muted' : undefined}>
            {answer === null
              ? 'Nobody has answered yet.'
              : `→ ${answer.text ?? answer.label ?? answer.value}`}
            {answer?.by_default && <span class="muted"> (nobody answered in time)</span>}
            {duration !== null && <span class="muted small number"> after {formatDuration(duration)}</span>}
          </p>
        </div>
      ))}
    </Part>
  );
}

function Attempts({ visit: { attempts } }: { readonly visit: StageVisit }) {
  if (attempts.length < 2) return null;
  return (
    <Part title="Attempts">
      <ol class="attempts">
        {attempts.map(({ attempt, started_at, ended_at, status, error, retry_delay_ms }) => (
          <li key={`${attempt} ${started_at}`}>
            <span class="badge" data-state={visitWords[status].colour}>
              {attempt}: {visitWords[status].word}
            </span>{' '}
            {ended_at !== null && (
              <span class="number small">
                {formatDuration(Date.parse(ended_at) - Date.parse(started_at))}
              </span>
            )}
            {error !== null && (
              <span>
                {' '}
                <AnsiText text={error} />
              </span>
            )}
            {retry_delay_ms !== null && (
              <span class="muted small"> · the next one {formatDuration(retry_delay_ms)} later</span>
            )}
          </li>
        ))}
      </ol>
    </Part>
  );
}

function UsageLine({ visit: { usage } }: { readonly visit: StageVisit }) {
  if (usage === null) return null;
  const { input_tokens: input, output_tokens: output, cost_usd: cost, requests } = usage;
  const counts = [
    typeof requests === 'number' ? `${formatCount(requests)} ${requests === 1 ? 'request' : 'requests'}` : '',
    typeof input === 'number' ? `${formatCount(input)} tokens in` : '',
    typeof output === 'number' ? `${formatCount(output)} out` : '',
    typeof cost === 'number' ? formatMoney(cost) : '',
  ];
  return (
    <Part title="Use of models">
      <p class="number">{counts.filter((count) => count !== '').join(' · ')}</p>
    </Part>
  );
}

function Log({ visit: { log } }: { readonly visit: StageVisit }) {
  if (log.length === 0) return null;
  return (
    <Part title="Run log">
      <ul class="log">
        {log.map(({ level, message, at }) => (
          <li key={`${at} ${message}`}>
            {level === 'warning' && <strong>Warning: </strong>}
            {message}
          </li>
        ))}
      </ul>
    </Part>
  );
}

function ChildRuns({ visit: { child_runs: children } }: { readonly visit: StageVisit }) {
  if (children.length === 0) return null;
  return (
    <Part title="Runs that it started">
      <ul class="log">
        {children.map(({ run_id: id, name, status, path }) => (
          <li key={path}>
            {name === '' ? id : name}: {status.replaceAll('_', ' ')}{' '}
            <span class="muted small">in {path}</span>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function durationOf({ started_at: start, ended_at: end }: StageVisit): number | null {
  return end === null ? null : Date.parse(end) - Date.parse(start);
}
