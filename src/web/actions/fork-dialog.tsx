import { useState } from 'preact/hooks';
import type { ForkRequest } from '../../server/api/run.js';
import { goTo } from '../place.js';
import { tell } from '../ui/toasts.jsx';
import type { ActionDialogProps } from './action-dialog-props.js';
import { ActionForm } from './action-form.jsx';
import { NodeChoice } from './node-choice.jsx';
import { RadioGroup } from './radio-group.jsx';
import { readFork } from './read-fork.js';
import { useAction } from './use-action.js';

type Point = 'end' | 'node' | 'step';

/** Forks a run: starts a new run from a step of this one, and goes to it. */
export function ForkDialog({ run, onClose, onDone }: ActionDialogProps) {
  const [point, setPoint] = useState<Point>(run.status === 'success' ? 'node' : 'end');
  const [node, setNode] = useState('');
  const [step, setStep] = useState('');
  const [resume, setResume] = useState(true);
  const pending = useAction(run.id, 'fork');
  const read = readFork({ point, node, step, resume });
  const [isTried, setTried] = useState(false);
  const submit = (): void => {
    setTried(true);
    if ('problem' in read) return;
    void pending.ask(read.fork satisfies ForkRequest, ({ id }) => {
      tell(`Forked ${run.name}`);
      onClose();
      onDone();
      goTo({ kind: 'run', runId: id });
    });
  };
  return (
    <ActionForm title={`Fork ${run.name}`} verb="Fork" pending={pending} onSubmit={submit} onClose={onClose}>
      <p>A new run shares the history of this one up to a point. This run stays as it is.</p>
      <RadioGroup
        legend="Up to"
        value={point}
        onChange={setPoint}
        options={run.status === 'success' ? points.filter(({ value }) => value !== 'end') : points}
      />
      {point === 'node' && (
        <NodeChoice label="Node" none="Choose a node" nodes={run.visited} value={node} onChange={setNode} />
      )}
      {point === 'step' && (
        <label class="field">
          Steps
          <input
            type="text"
            inputMode="numeric"
            value={step}
            onInput={(event) => setStep(event.currentTarget.value)}
          />
        </label>
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={resume}
          onChange={(event) => setResume(event.currentTarget.checked)}
        />
        Continue with it at once
      </label>
      <p class="small" role="status">
        {isTried && 'problem' in read && <span class="field-problem">{read.problem}</span>}
      </p>
    </ActionForm>
  );
}

const points: readonly { readonly value: Point; readonly text: string }[] = [
  { value: 'end', text: 'Where it is now' },
  { value: 'node', text: 'Before the last visit of a node' },
  { value: 'step', text: 'After a number of steps' },
];
