import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { RunOverlay } from '../../render/run-overlay.js';
import type { RunDetail, RunStatusName } from '../../server/api/run.js';
import { activeVisits, waitsForPeople } from '../../view/active-stages.js';
import { enclosingItems } from '../../view/enclosing-items.js';
import type { GraphStructure } from '../../view/graph-schema.js';
import { overlayOf } from '../../view/overlay-of.js';
import type { OverviewStatus } from '../../view/run-status.js';
import { RunActions } from '../actions/run-actions.jsx';
import { part } from '../api/request.js';
import { RunQuestions } from '../gates/run-questions.jsx';
import { goTo, place, replaceQuery } from '../place.js';
import { hrefOf, type Route } from '../route.js';
import { Loading } from '../ui/loading.jsx';
import { ProblemNotice } from '../ui/problem-notice.jsx';
import { isAtRest } from '../ui/run-badge.jsx';
import { useResource } from '../ui/use-resource.js';
import { useTitle } from '../ui/use-title.js';
import { GraphPanel } from './graph/graph-panel.jsx';
import { Inspector, isStageView, type StageView } from './inspector/inspector.jsx';
import { edgesOfBranches, type LiveRun } from './model/live-run.js';
import { RunHeader } from './run-header.jsx';
import { isRunTab, type RunTab, RunTabs } from './run-tabs.jsx';
import './run.css';
import { useLiveRun } from './use-live-run.js';

interface RunPageProps {
  readonly runId: string;
  /** The stage that is looked at. */
  readonly nodeId: string | undefined;
}

/** Interval in milliseconds of requests for facts without events, such as the death of a process. */
const pollMs = 4000;
const noStructure: GraphStructure = { name: '', goal: '', nodes: [], edges: [] };

/** A run as it happens: its graph, its questions, what it did and what it cost, and each of its stages (§9.5). */
export function RunPage({ runId, nodeId }: RunPageProps) {
  const base = `pipelines/${part(runId)}`;
  const detail = useResource<RunDetail>(base, { pollMs });
  const run = detail.data;
  const isQueued = run === undefined || run.status === 'queued';
  const structure = useResource<GraphStructure>(`${base}/graph?format=json`);
  const picture = useResource<string>(`${base}/graph?format=svg&theme=light&run=left_out`, { as: 'text' });
  const known = structure.data ?? (structure.failure && !isQueued ? noStructure : undefined);
  const { live, stream } = useLiveRun(runId, known !== undefined, run !== undefined && !isAtRest(run.status));
  useTitle(run === undefined ? runId : run.name || run.id);
  const version = live?.version.value ?? 0;
  useReload(detail.reload, live?.view.turns ?? 0);
  const overlay = useOverlay(live, version, known, run);

  if (run === undefined) {
    return detail.failure === undefined ? (
      <Loading what="the run" screen="Run" />
    ) : (
      <ProblemNotice failure={detail.failure} onRetry={detail.reload} />
    );
  }
  const nodes = known?.nodes ?? [];
  const here: Route = nodeId === undefined ? { kind: 'run', runId } : { kind: 'stage', runId, nodeId };
  const open = (node: string, visit?: number): void =>
    goTo({ kind: 'stage', runId, nodeId: node }, { ...tabQuery(), visit: visit?.toString() });
  const close = (): void => goTo({ kind: 'run', runId }, tabQuery());
  return (
    <div class={nodeId === undefined ? 'run' : 'run run-inspected'}>
      <RunHeader
        run={run}
        isAsking={run.status === 'running' && live !== undefined && waitsForPeople(live.view)}
        actions={
          <RunActions
            run={{ ...run, ...choicesIn(known, live) }}
            actions={run.actions}
            requested={run.requested}
            onDone={detail.reload}
          />
        }
      />
      <StreamNotice state={stream.kind} />
      <RunQuestions
        runId={runId}
        version={live?.view.turns ?? 0}
        itemsOf={(branch) => (live === undefined ? [] : enclosingItems(live.view, branch))}
      />
      <div class="run-main">
        <section class="panel run-graph" aria-label="Graph">
          {picture.data !== undefined && (
            <GraphPanel
              name={run.name}
              picture={picture.data}
              nodes={nodes}
              overlay={overlay}
              selected={nodeId}
              active={live && stageInSight(live, run)}
              isLive={!isAtRest(run.status)}
              onOpen={open}
            />
          )}
          {picture.data === undefined && picture.failure === undefined && <Loading what="the graph" />}
          {picture.failure !== undefined && (
            <ProblemNotice failure={picture.failure} onRetry={picture.reload} />
          )}
        </section>
        {live !== undefined && (
          <RunTabs
            run={run}
            live={live}
            nodes={nodes}
            overlay={overlay}
            selected={tabIn(place.value.query)}
            onSelect={(tab) => replaceQuery(here, { ...queryNow(), tab })}
            onOpen={open}
            hrefOf={(node) => hrefOf({ kind: 'stage', runId, nodeId: node }, tabQuery())}
          />
        )}
      </div>
      {nodeId !== undefined && live !== undefined && (
        <Inspector
          key={nodeId}
          runId={runId}
          nodeId={nodeId}
          live={live}
          visit={visitIn(place.value.query)}
          onVisit={(visit) => replaceQuery(here, { ...queryNow(), visit: visit?.toString() })}
          view={viewIn(place.value.query)}
          onView={(view) =>
            replaceQuery(here, { ...queryNow(), view: view === 'details' ? undefined : view })
          }
          onOpen={open}
          onClose={close}
        />
      )}
    </div>
  );
}

/** The stage that works now, or at which the run has stopped. */
function stageInSight({ view }: LiveRun, { status, failed_node: failed }: RunDetail): string | undefined {
  if (status === 'fail') return failed ?? undefined;
  return status === 'success' ? undefined : activeVisits(view).at(-1)?.nodeId;
}

/** Nodes that the actions offer, in the order of the text. */
function choicesIn(known: GraphStructure | undefined, live: LiveRun | undefined) {
  const hasEvents = live !== undefined && live.events.length > 0;
  return {
    resumable: known?.nodes.filter(({ only_in: parallel }) => parallel === null).map(({ id }) => id),
    visited: hasEvents
      ? known?.nodes.filter(({ id }) => live.latestOf(id) !== undefined).map(({ id }) => id)
      : undefined,
  };
}

function StreamNotice({ state }: { readonly state: ReturnType<typeof useLiveRun>['stream']['kind'] }) {
  if (state !== 'reconnecting') return null;
  return (
    <p class="notice" data-state="waiting" role="status">
      The connection is lost: what you see is from before. The page continues by itself as soon as the server
      answers.
    </p>
  );
}

/** Asks for the run again as soon as its events say that something has changed; not when it is first shown. */
function useReload(reload: () => void, turns: number): void {
  const before = useRef(turns);
  useEffect(() => {
    if (before.current === turns) return undefined;
    before.current = turns;
    const timer = setTimeout(reload, 150);
    return () => clearTimeout(timer);
  }, [reload, turns]);
}

function useOverlay(
  live: LiveRun | undefined,
  version: number,
  structure: GraphStructure | undefined,
  run: RunDetail | undefined,
): Omit<RunOverlay, 'caption'> {
  return useMemo(
    () =>
      live === undefined || structure === undefined || run === undefined
        ? { nodes: new Map(), edges: new Map(), jumps: [] }
        : overlayOf(live.view, edgesOfBranches(structure), overviewStatus(run.status), run.child_runs),
    [live, version, structure, run],
  );
}

function overviewStatus(status: RunStatusName): OverviewStatus {
  switch (status) {
    case 'damaged':
      return 'interrupted';
    case 'queued':
    case 'running':
    case 'paused':
    case 'interrupted':
    case 'success':
    case 'fail':
    case 'cancelled':
      return status;
  }
}

function tabIn(query: URLSearchParams): RunTab {
  const tab = query.get('tab');
  return tab !== null && isRunTab(tab) ? tab : 'timeline';
}

function viewIn(query: URLSearchParams): StageView {
  const view = query.get('view');
  return view !== null && isStageView(view) ? view : 'details';
}

function visitIn(query: URLSearchParams): number | undefined {
  const visit = Number(query.get('visit'));
  return Number.isInteger(visit) && visit > 0 ? visit : undefined;
}

function queryNow(): Readonly<Record<string, string | undefined>> {
  const { query } = place.value;
  return Object.fromEntries(['tab', 'visit', 'view'].map((name) => [name, query.get(name) ?? undefined]));
}

function tabQuery(): Readonly<Record<string, string | undefined>> {
  return { tab: place.value.query.get('tab') ?? undefined };
}
