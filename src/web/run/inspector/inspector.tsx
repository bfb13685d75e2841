import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { handlerTypes } from '../../../graph/handler-types.js';
import type { StageDetail, StageVisit } from '../../../view/stage-schema.js';
import { part } from '../../api/request.js';
import { Button } from '../../ui/button.jsx';
import { EmptyState } from '../../ui/empty-state.jsx';
import { Loading } from '../../ui/loading.jsx';
import { ProblemNotice } from '../../ui/problem-notice.jsx';
import { type Tab, Tabs } from '../../ui/tabs.jsx';
import { useResource } from '../../ui/use-resource.js';
import { LazyConversation } from '../conversation/lazy-conversation.jsx';
import type { LiveRun } from '../model/live-run.js';
import { visitWords } from '../visit-words.js';
import { Branches } from './branches.jsx';
import { LiveOutput } from './live-output.jsx';
import { StageAttributes } from './stage-attributes.jsx';
import { Steering } from './steering.jsx';
import { VisitDetails } from './visit-details.jsx';

interface InspectorProps {
  readonly runId: string;
  readonly nodeId: string;
  readonly live: LiveRun;
  /** Visit to show; undefined for the latest one, also when a later one begins. */
  readonly visit: number | undefined;
  readonly onVisit: (visit: number | undefined) => void;
  readonly view: StageView;
  readonly onView: (view: StageView) => void;
  /** Opens a visit of another stage. */
  readonly onOpen: (nodeId: string, visit: number) => void;
  readonly onClose: () => void;
}

const stageViews = ['details', 'conversation'] as const;
/** Parts of what there is to see of a stage. */
export type StageView = (typeof stageViews)[number];

export function isStageView(text: string): text is StageView {
  return (stageViews as readonly string[]).includes(text);
}

const tabs: readonly Tab<StageView>[] = [
  { id: 'details', title: 'Details' },
  { id: 'conversation', title: 'Conversation' },
];

const pollMs = 2000;

/** All about a stage: its input, its output and actions, and where control went from it (§3.2). */
export function Inspector({ onClose, ...props }: InspectorProps) {
  const { runId, nodeId, live, visit, onVisit } = props;
  const title = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    title.current?.focus();
    // A stage of the picture can have the focus too, and is not an HTML element.
    return () => {
      if ((before instanceof HTMLElement || before instanceof SVGElement) && before.isConnected)
        before.focus();
    };
  }, []);
  const path = `pipelines/${part(runId)}/stages/${part(nodeId)}`;
  // Files begin to be written without an event that says so.
  const isRunning = live.now().latestOf(nodeId)?.status === 'running';
  // An earlier visit may be older than those that the server sends of itself.
  const address = visit === undefined ? path : `${path}?visit=${visit}`;
  const options = { keepsData: true } as const;
  const { data, failure, reload } = useResource<StageDetail>(
    address,
    isRunning ? { ...options, pollMs } : options,
  );
  useReloadOn(reload, stampOf(live.now(), nodeId));
  const detail = data?.node_id === nodeId ? data : undefined;
  const shown =
    visit === undefined ? detail?.visits.at(-1) : detail?.visits.find((one) => one.visit === visit);
  return (
    <aside
      class="inspector panel"
      aria-label={`Stage ${nodeId}`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        onClose();
      }}
    >
      <div class="panel-head inspector-head">
        <h2 tabIndex={-1} ref={title}>
          {detail === undefined || detail.label === '' ? nodeId : detail.label}
        </h2>
        <Button look="quiet" icon="close" aria-label="Close the stage" onClick={onClose} />
        <p class="muted small inspector-about">
          <code>{nodeId}</code>
          {detail !== undefined && ` · ${titleOf(detail.handler)}`}
        </p>
      </div>
      <div class="panel-body stack">
        {failure !== undefined && detail === undefined && (
          <ProblemNotice failure={failure} onRetry={reload} />
        )}
        {failure === undefined && detail === undefined && <Loading what="the stage" />}
        {detail !== undefined && <VisitChoice detail={detail} shown={shown} onVisit={onVisit} />}
        <StageBody {...props} path={path} detail={detail} shown={shown} />
      </div>
    </aside>
  );
}

interface StageBodyProps extends Omit<InspectorProps, 'onClose'> {
  /** Path of the stage at the server. */
  readonly path: string;
  readonly detail: StageDetail | undefined;
  readonly shown: StageVisit | undefined;
}

/** The stage, or its conversation, if it has one. */
function StageBody(props: StageBodyProps) {
  const { runId, path, live, view, onView, detail, shown } = props;
  const hasConversation =
    detail !== undefined &&
    shown !== undefined &&
    (asksModel(detail.handler) || shown.files.some((file) => file.path === 'conversation.jsonl'));
  if (!hasConversation) return <StageDetails {...props} />;
  return (
    <Tabs label="Parts of the stage" tabs={tabs} selected={view} onSelect={onView}>
      {view === 'details' ? (
        <div class="stack">
          <StageDetails {...props} />
        </div>
      ) : (
        <LazyConversation key={shown.index} runId={runId} path={path} visit={shown} live={live} />
      )}
    </Tabs>
  );
}

function StageDetails({ runId, nodeId, live, path, detail, shown, onOpen }: StageBodyProps) {
  const isLatest = shown === undefined || shown === detail?.visits.at(-1);
  return (
    <>
      {isLatest && <LiveOutput live={live} nodeId={nodeId} />}
      {detail !== undefined && shown === undefined && (
        <EmptyState
          title={detail.visits.length === 0 ? 'Control has not come here yet' : 'This visit is not kept'}
          icon="waiting"
        />
      )}
      {shown !== undefined && detail !== undefined && asksModel(detail.handler) && (
        <Steering key={`steering ${shown.index}`} runId={runId} visit={shown} />
      )}
      {shown !== undefined && (
        <VisitDetails
          key={shown.index}
          path={path}
          visit={shown}
          runId={runId}
          command={detail?.attributes.tool_command}
        >
          <Branches live={live} nodeId={nodeId} index={shown.index} onOpen={onOpen} />
        </VisitDetails>
      )}
      {detail !== undefined && <StageAttributes attributes={detail.attributes} />}
    </>
  );
}

function asksModel(type: string): boolean {
  return handlerTypes.find((handler) => handler.type === type)?.mayAskModel === true;
}

/** Handler types have names of their own for authors; a plugin's type has nothing else. */
function titleOf(type: string): string {
  return handlerTypes.find((handler) => handler.type === type)?.title ?? type;
}

interface VisitChoiceProps {
  readonly detail: StageDetail;
  readonly shown: StageVisit | undefined;
  readonly onVisit: (visit: number | undefined) => void;
}

function VisitChoice({ detail: { visits, omitted }, shown, onVisit }: VisitChoiceProps) {
  if (visits.length < 2) return null;
  return (
    <label class="field">
      <span class="small muted">
        Visit{omitted > 0 ? `, the latest ${visits.length} of ${visits.length + omitted}` : ''}
      </span>
      <select
        value={shown?.index ?? ''}
        onChange={({ currentTarget }) => {
          const chosen = visits.find(({ index }) => index === Number(currentTarget.value));
          onVisit(chosen === visits.at(-1) ? undefined : chosen?.visit);
        }}
      >
        {visits.toReversed().map(({ index, visit, status, attempts }) => (
          <option key={index} value={index}>
            {visit}: {visitWords[status].word}
            {attempts.length > 1 ? `, ${attempts.length} attempts` : ''}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Changes when there may be more to read of the stage than before. */
function stampOf(live: LiveRun, nodeId: string): string {
  const latest = live.latestOf(nodeId);
  if (latest === undefined) return '';
  return `${latest.index} ${latest.status} ${latest.attempts.length} ${latest.toolCalls} ${latest.next?.to ?? ''}`;
}

/** Asks again a little after the stamp has changed, and not for each change of many. */
function useReloadOn(reload: () => void, stamp: string): void {
  const [first] = useState(stamp);
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current && stamp === first) {
      isFirst.current = false;
      return undefined;
    }
    const timer = setTimeout(reload, 250);
    return () => clearTimeout(timer);
  }, [reload, stamp, first]);
}
