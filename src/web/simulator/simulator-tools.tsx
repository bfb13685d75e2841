import { Button } from '../ui/button.jsx';
import { describeDuration } from './describe-duration.js';
import { present, type SimulationHistory } from './history.js';
import { nextDeadline } from './next-deadline.js';
import type { Pending } from './simulation.js';

interface SimulatorToolsProps {
  readonly history: SimulationHistory;
  readonly onMove: (by: number) => void;
  readonly onRunOn: () => void;
  readonly onRestart: () => void;
  readonly onTime: () => void;
  readonly onExport: () => void;
}

/** Tools for a simulation as a whole. */
export function SimulatorTools({
  history,
  onMove,
  onRunOn,
  onRestart,
  onTime,
  onExport,
}: SimulatorToolsProps) {
  const { simulation } = present(history);
  const deadline = nextDeadline(simulation);
  const isOver = simulation.state.status !== 'running';
  return (
    <div class="simulator-tools" role="toolbar" aria-label="Simulation">
      <Button look="primary" onClick={onRunOn} disabled={isOver}>
        Run to the next choice
      </Button>
      <Button onClick={() => onMove(-1)} disabled={history.index === 0} aria-label="Undo" icon="back" />
      <Button
        onClick={() => onMove(1)}
        disabled={history.index === history.moments.length - 1}
        aria-label="Redo"
        icon="back"
        class="mirrored"
      />
      {deadline !== undefined && (
        <Button onClick={onTime} icon="waiting">
          Let {describeDuration(Math.max(0, deadline.at - simulation.now))} pass: {eventOf(deadline.pending)}
        </Button>
      )}
      <Button onClick={onRestart}>Restart</Button>
      <Button onClick={onExport} icon="download" title="A script that attractor run --script takes">
        Export script
      </Button>
    </div>
  );
}

function eventOf(pending: Pending): string {
  switch (pending.kind) {
    case 'timer':
      return 'the pause ends';
    case 'run_timer':
      return 'the run is out of time';
    case 'question':
      return `nobody answers "${pending.effect.nodeId}"`;
    case 'stage':
      return `"${pending.effect.nodeId}" times out`;
  }
}
