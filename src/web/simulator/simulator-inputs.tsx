import { useState } from 'preact/hooks';
import type { DeclaredInputs, Inputs } from '../../graph/values/declared-inputs.js';
import { AnyInputs, InputFields } from '../playground/input-fields.jsx';
import { emptyRunForm, readInputFields } from '../playground/read-run-form.js';
import { Button } from '../ui/button.jsx';

interface SimulatorInputsProps {
  /** Inputs that the pipeline declares; undefined if it takes any. */
  readonly declared: DeclaredInputs | undefined;
  readonly onBegin: (inputs: Inputs) => void;
}

/** Inputs of a simulation (SEMANTICS 101), which restarts with them; until then declared ones have their defaults. */
export function SimulatorInputs({ declared, onBegin }: SimulatorInputsProps) {
  const [form, setForm] = useState(emptyRunForm);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  if (declared?.size === 0) return null;
  return (
    <details class="simulator-inputs small">
      <summary>Inputs</summary>
      <form
        class="stack"
        aria-label="Inputs of the simulation"
        onSubmit={(event) => {
          event.preventDefault();
          const inputs = readInputFields(form, declared);
          setProblem(typeof inputs === 'string' ? inputs : undefined);
          if (typeof inputs !== 'string') onBegin(inputs);
        }}
      >
        {declared === undefined ? (
          <AnyInputs value={form.inputs} onChange={(inputs) => setForm({ ...form, inputs })} />
        ) : (
          <InputFields
            declared={declared}
            values={form.declaredInputs}
            onChange={(declaredInputs) => setForm({ ...form, declaredInputs })}
          />
        )}
        {problem !== undefined && (
          <p class="notice" data-state="failed" role="alert">
            {problem}
          </p>
        )}
        <div>
          <Button type="submit">Restart with these inputs</Button>
        </div>
      </form>
    </details>
  );
}
