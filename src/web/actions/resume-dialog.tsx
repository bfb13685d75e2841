import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { DeclaredInputs, Inputs } from '../../graph/values/declared-inputs.js';
import { part } from '../api/request.js';
import { tell } from '../ui/toasts.jsx';
import { useResource } from '../ui/use-resource.js';
import type { ActionDialogProps } from './action-dialog-props.js';
import { ActionForm } from './action-form.jsx';
import type { ChangedInputsProps } from './changed-inputs.jsx';
import { NodeChoice } from './node-choice.jsx';
import type { InputTexts } from './read-changed-inputs.js';
import { readResumption } from './read-resumption.js';
import { StageBudgetsField } from './stage-budgets-field.jsx';
import { useAction } from './use-action.js';

/** Resumes a run, from where it stopped or from a node, with a larger budget if it needs one (SEMANTICS 66b). */
export function ResumeDialog({ run, onClose, onDone }: ActionDialogProps) {
  const [from, setFrom] = useState('');
  const [budget, setBudget] = useState('');
  const [stageBudgets, setStageBudgets] = useState('');
  const [steps, setSteps] = useState('');
  const [simulate, setSimulate] = useState(false);
  const [texts, setTexts] = useState<InputTexts>({ declared: new Map(), lines: '' });
  const loaded = useInputs(run.id);
  const pending = useAction(run.id, 'resume');
  const inputs = loaded?.read(texts, loaded.declared) ?? {};
  const read = readResumption({ from, budget, stageBudgets, steps, simulate, inputs });
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
        <LimitField label="Budget in US dollars" value={budget} onChange={setBudget} />
        <LimitField label="Steps at most" value={steps} onChange={setSteps} />
      </div>
      <StageBudgetsField value={stageBudgets} onChange={setStageBudgets} />
      {loaded !== undefined && (
        <details>
          <summary>Other inputs</summary>
          <div class="stack">
            <loaded.Fields declared={loaded.declared} texts={texts} onChange={setTexts} />
          </div>
        </details>
      )}
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

interface LoadedInputs {
  readonly read: (texts: InputTexts, declared: DeclaredInputs | undefined) => Inputs | string;
  readonly Fields: ComponentType<ChangedInputsProps>;
  readonly declared: DeclaredInputs | undefined;
}

/** Inputs that the pipeline of a run declares, with their fields; undefined until they are loaded. */
function useInputs(runId: string): LoadedInputs | undefined {
  const { data: dot } = useResource<string>(`pipelines/${part(runId)}/source`, { as: 'text' });
  const [loaded, setLoaded] = useState<LoadedInputs>();
  useEffect(() => {
    if (dot === undefined) return undefined;
    let isThere = true;
    Promise.all([import('./changed-inputs.jsx'), import('./read-changed-inputs.js')]).then(
      ([{ ChangedInputs }, { inputsDeclaredIn, readChangedInputs }]) =>
        isThere &&
        setLoaded({ Fields: ChangedInputs, read: readChangedInputs, declared: inputsDeclaredIn(dot) }),
      // The server may have been replaced by another version: the run is resumed with its inputs.
      () => undefined,
    );
    return () => {
      isThere = false;
    };
  }, [dot]);
  return loaded;
}

interface LimitFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Empty: as it was. */
function LimitField({ label, value, onChange }: LimitFieldProps) {
  return (
    <label class="field">
      {label}
      <input
        type="text"
        placeholder="as before"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}
