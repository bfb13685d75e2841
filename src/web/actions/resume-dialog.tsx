import { useState } from 'preact/hooks';
import { tell } from '../ui/toasts.jsx';
import type { ActionDialogProps } from './action-dialog-props.js';
import { ActionForm } from './action-form.jsx';
import { NodeChoice } from './node-choice.jsx';
import { readResumption } from './read-resumption.js';
import { useAction } from './use-action.js';

/** Resumes a run, from where it stopped or from a node, with a larger budget if it needs one (SEMANTICS 66b). */
export function ResumeDialog({ run, onClose, onDone }: ActionDialogProps) {
  const [from, setFrom] = useState('');
  const [budget, setBudget] = useState('');
  const [steps, setSteps] = useState('');
  const [simulate, setSimulate] = useState(false);
  const pending = useAction(run.id, 'resume');
  const read = readResumption({ from, budget, steps, simulate });
  const submit = (): void => {
    if ('problem' in read) return;
    void pending.ask(read.resumption, ({ status }) => {
      tell(`${run.name} ${status === 'queued' ? 'waits for its turn' : 'continues'}`, 'running');
      onClose();
      onDone();
    });
  };
  return (
    <ActionForm
      title={`Resume ${run.name}`}
      verb="Resume"
      pending={pending}
      onSubmit={submit}
      onClose={onClose}
    >
      <NodeChoice
        label="From"
        none="Where it stopped"
        nodes={run.resumable}
        value={from}
        onChange={setFrom}
      />
      <div class="fields">
        <NumberField label="Budget in US dollars" value={budget} onChange={setBudget} />
        <NumberField label="Steps at most" value={steps} onChange={setSteps} />
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={simulate}
          onChange={(event) => setSimulate(event.currentTarget.checked)}
        />
        Simulate: no stage does real work
      </label>
      <p class="small" role="status">
        {'problem' in read && <span class="field-problem">{read.problem}</span>}
      </p>
    </ActionForm>
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Empty: as it was. */
function NumberField({ label, value, onChange }: NumberFieldProps) {
  return (
    <label class="field">
      {label}
      <input
        type="text"
        inputMode="decimal"
        placeholder="as before"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}
