import { Panel } from '../ui/panel.jsx';
import { ChangeList } from './change-list.jsx';
import { contextChanges } from './context-changes.js';
import { explainRoutes, type TakenRoute } from './explain-route.js';
import type { SimulationHistory } from './history.js';
import type { Moment } from './run-on.js';
import type { Choice, Simulation } from './simulation.js';

const mostShown = 30;

/** Choices, routes with their reasons, and changes of the context; the latest first. */
export function StepList({ history: { moments, index } }: { readonly history: SimulationHistory }) {
  const first = Math.max(1, index - mostShown + 1);
  const steps = moments.slice(first, index + 1).map((moment, offset) => ({
    number: first + offset,
    moment,
    before: moments[first + offset - 1]?.simulation,
  }));
  const begin = first === 1 ? moments[0] : undefined;
  return (
    <Panel title="What happened, and why" aside={<span class="muted small number">{index}</span>}>
      <ol class="steps" reversed aria-live="polite">
        {steps.reverse().map(({ number, moment, before }) => (
          <Step key={number} number={number} moment={moment} before={before} />
        ))}
        {begin !== undefined && <Step key={0} number={0} moment={begin} before={undefined} />}
      </ol>
    </Panel>
  );
}

interface StepProps {
  readonly number: number;
  readonly moment: Moment;
  readonly before: Simulation | undefined;
}

function Step({ number, moment: { choice, simulation }, before }: StepProps) {
  const routes = before === undefined ? [] : explainRoutes(before, simulation);
  const cursor = choice !== undefined && choice.kind !== 'let_time_pass' ? choice.cursor : '';
  const changes = before === undefined ? [] : contextChanges(before.state, simulation.state, cursor);
  const news = simulation.events.slice(before?.events.length ?? 0).flatMap(tellingLine);
  return (
    <li class="step" value={number}>
      <p>
        <strong>{titleOf(choice, before)}</strong>
      </p>
      {news.length > 0 && (
        <ul class="step-news small">
          {news.map(({ seq, text }) => (
            <li key={seq}>{text}</li>
          ))}
        </ul>
      )}
      {routes.map((route) => (
        <Route key={route.seq} route={route} />
      ))}
      {changes.length > 0 && <ChangeList changes={changes} artifacts={simulation.artifacts} />}
    </li>
  );
}

function titleOf(choice: Choice | undefined, before: Simulation | undefined): string {
  if (choice === undefined) return 'The run begins';
  switch (choice.kind) {
    case 'let_time_pass':
      return 'Time passes';
    case 'answer':
      return `${nodeOf(before, choice.cursor)} is answered: ${choice.typed}`;
    case 'outcome': {
      const { outcome, preferred_label, failure_reason } = choice.entry;
      const facts = [outcome, preferred_label && `prefers "${preferred_label}"`, failure_reason];
      return `${nodeOf(before, choice.cursor)}: ${facts.filter((fact) => fact !== undefined && fact !== '').join(', ')}`;
    }
  }
}

function nodeOf(before: Simulation | undefined, cursor: string): string {
  return before?.state.cursors.get(cursor)?.nodeId ?? '';
}

type Line = { readonly seq: number; readonly text: string };

/** Line for an event that neither the routes nor the title show. */
function tellingLine(event: Simulation['events'][number]): readonly Line[] {
  switch (event.type) {
    case 'PipelineCompleted':
    case 'PipelineFailed':
    case 'PipelinePaused':
    case 'StageFailed':
    case 'StageRetrying':
    case 'StageSkipped':
    case 'LoopRestarted':
    case 'ParallelStarted':
    case 'ParallelBranchCompleted':
    case 'ParallelCompleted':
    case 'InterviewStarted':
    case 'InterviewTimeout':
    case 'LogAppended':
      return [{ seq: event.seq, text: event.description }];
    default:
      return [];
  }
}

function Route({ route: { from, to, why, ways } }: { readonly route: TakenRoute }) {
  return (
    <div class="route">
      <p>
        <span class="mono">{from}</span> → <span class="mono">{to}</span> <span class="muted">{why}</span>
      </p>
      {ways.length > 1 && (
        <table class="ways small">
          <caption class="visually-hidden">Ways out of {from}</caption>
          <tbody>
            {ways.map((way, index) => (
              <tr key={index} data-taken={way.isTaken || undefined}>
                <th scope="row">
                  {way.isTaken ? '✓ ' : ''}
                  {way.to}
                  {way.label !== '' && <span class="muted"> {way.label}</span>}
                </th>
                <td>{way.verdict}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
