import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { outgoingEdges } from '../../graph/queries.js';
import { applyAll } from '../../view/fold/apply.js';
import { emptyView } from '../../view/fold/run-view.js';
import { graphStructure } from '../../view/graph-structure.js';
import { overlayOf } from '../../view/overlay-of.js';
import { saveFile } from '../playground/save-file.js';
import { GraphPanel } from '../run/graph/graph-panel.jsx';
import { Loading } from '../ui/loading.jsx';
import { tell } from '../ui/toasts.jsx';
import { branchWords } from './branch-words.js';
import { choose } from './choose.js';
import { exportScript } from './export-script.js';
import { extendHistory, move, present, type SimulationHistory } from './history.js';
import { PathSoFar } from './path-so-far.jsx';
import { QuestionForm } from './question-form.jsx';
import { runOn } from './run-on.js';
import type { Choice, Pending, Simulation } from './simulation.js';
import type { SimulatorSession } from './simulator-session.js';
import { SimulatorTools } from './simulator-tools.jsx';
import { StageForm } from './stage-form.jsx';
import { StepList } from './step-list.jsx';

interface SimulatorViewProps {
  readonly begun: SimulatorSession;
  readonly picture: string | undefined;
  readonly onHistory: (history: SimulationHistory) => void;
  readonly onRestart: () => void;
}

/** A simulation at one moment: the picture of it, what can be chosen, and how it came to this. */
export function SimulatorView({ begun, picture, onHistory, onRestart }: SimulatorViewProps) {
  const { history, program, compiled } = begun;
  const { simulation } = present(history);
  const [selected, setSelected] = useState<string | undefined>(undefined);
  const { nodes } = useMemo(() => graphStructure(program.graph), [program]);
  const overlay = useMemo(() => drawnOver(simulation), [simulation]);
  const { attempt, problem } = useWork();

  const choices = useFocusAfterChoice(simulation);
  const take = (choice: Choice): void =>
    attempt(async () =>
      onHistory(extendHistory(history, [{ choice, simulation: await choose(simulation, choice) }])),
    );
  const active = activeNode(simulation);
  return (
    <>
      <SimulatorTools
        history={history}
        onMove={(by) => onHistory(move(history, by))}
        onRunOn={() => attempt(async () => onHistory(extendHistory(history, await runOn(simulation))))}
        onRestart={onRestart}
        onTime={() => take({ kind: 'let_time_pass' })}
        onExport={() => attempt(() => saveScript(begun, simulation))}
      />
      <div class="simulator-picture">
        {picture === undefined ? (
          <Loading what="the picture" />
        ) : (
          <GraphPanel
            name={compiled.compilation.graph.name}
            {...{ picture, nodes, overlay, selected, active }}
            isLive={simulation.state.status === 'running'}
            onOpen={(id) => setSelected(id === selected ? undefined : id)}
          />
        )}
      </div>
      {problem !== undefined && (
        <p class="notice small" data-state="failed" role="alert">
          {problem}
        </p>
      )}
      <div ref={choices}>
        <Choices simulation={simulation} onChoose={take} />
      </div>
      <PathSoFar events={simulation.events} />
      <StepList history={history} />
    </>
  );
}

/** Moves the focus from a form that is gone to the next choice. */
function useFocusAfterChoice(simulation: Simulation) {
  const place = useRef<HTMLDivElement>(null);
  const hadFocus = useRef(false);
  hadFocus.current = place.current?.contains(document.activeElement) ?? false;
  useEffect(() => {
    if (!hadFocus.current || place.current?.contains(document.activeElement)) return;
    const next = place.current?.querySelector<HTMLElement>('input:checked, button, [role=status]');
    next?.focus();
  }, [simulation]);
  return place;
}

/** One thing at a time: a second click while the first one is worked on would be lost. */
function useWork() {
  const isBusy = useRef(false);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const attempt = (work: () => Promise<void>): void => {
    if (isBusy.current) return;
    isBusy.current = true;
    setProblem(undefined);
    work()
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
      .finally(() => {
        isBusy.current = false;
      });
  };
  return { attempt, problem };
}

async function saveScript({ compiled, inputs }: SimulatorSession, simulation: Simulation): Promise<void> {
  const { text, isFaithful } = await exportScript(simulation, compiled.compilation, inputs);
  saveFile(`${compiled.compilation.graph.name}.script.yaml`, text, 'application/yaml');
  if (!isFaithful)
    tell(
      'The script makes your choices, but its branches may take turns in another order than yours did.',
      'waiting',
    );
}

function drawnOver({ program, events, state }: Simulation) {
  const view = applyAll(emptyView(), events);
  const edgeOfBranch = (nodeId: string, branch: number) =>
    outgoingEdges(program.graph, nodeId)[branch]?.index;
  return overlayOf(view, edgeOfBranch, state.status === 'created' ? 'running' : state.status);
}

function activeNode({ pending }: Simulation): string | undefined {
  const one = pending.find(({ kind }) => kind === 'stage' || kind === 'question');
  return one?.kind === 'stage' || one?.kind === 'question' ? one.effect.nodeId : undefined;
}

interface ChoicesProps {
  readonly simulation: Simulation;
  readonly onChoose: (choice: Choice) => void;
}

function Choices({ simulation, onChoose }: ChoicesProps) {
  const { pending, state } = simulation;
  if (state.status !== 'running')
    return (
      <p
        class="notice"
        data-state={state.status === 'success' ? 'done' : 'failed'}
        role="status"
        tabIndex={-1}
      >
        {endOf(simulation)}
      </p>
    );
  return (
    <div class="simulator-choices">
      {pending.map((one) => (
        <PendingForm key={keyOf(one)} pending={one} simulation={simulation} onChoose={onChoose} />
      ))}
    </div>
  );
}

function keyOf(one: Pending): string {
  if (one.kind === 'run_timer') return one.kind;
  const { cursor, index, attempt } = one.effect;
  return `${one.kind} ${cursor} ${index} ${attempt}`;
}

interface PendingFormProps extends ChoicesProps {
  readonly pending: Pending;
}

function PendingForm({ pending, simulation, onChoose }: PendingFormProps) {
  switch (pending.kind) {
    case 'stage': {
      const { cursor, nodeId } = pending.effect;
      return (
        <StageForm
          effect={pending.effect}
          node={simulation.program.nodes.get(nodeId)}
          branch={branchWords(simulation.state, cursor)}
          onSettle={(entry) => onChoose({ kind: 'outcome', cursor, entry })}
        />
      );
    }
    case 'question': {
      const { cursor } = pending.effect;
      return (
        <QuestionForm
          question={pending.question}
          branch={branchWords(simulation.state, cursor)}
          onAnswer={(typed) => onChoose({ kind: 'answer', cursor, typed })}
        />
      );
    }
    case 'timer':
      return (
        <p class="muted small">
          {pending.effect.cursor === '' ? 'A pause' : `A pause in branch ${pending.effect.cursor}`} continues:
          let time pass, or continue with something else.
        </p>
      );
    case 'run_timer':
      return null;
  }
}

function endOf({ state }: Simulation): string {
  switch (state.status) {
    case 'success':
      return 'The run has ended: success.';
    case 'fail':
      return `The run has failed at "${state.failure?.nodeId ?? ''}": ${state.failure?.reason ?? ''}`;
    case 'paused':
      return `The run is paused: ${state.pausedReason ?? ''}`;
    case 'cancelled':
      return 'The run was cancelled.';
    case 'created':
    case 'running':
      return 'The run continues.';
  }
}
