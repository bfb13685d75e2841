import { useState } from 'preact/hooks';
import type { DeclaredInputs } from '../../graph/values/declared-inputs.js';
import type { Capabilities } from '../../server/api/language.js';
import type { AcceptedRun, Submission } from '../../server/api/run.js';
import { StageBudgetsField } from '../actions/stage-budgets-field.jsx';
import { type Failure, failureOf } from '../api/failure.js';
import { requestJson } from '../api/request.js';
import { goTo } from '../place.js';
import { Button } from '../ui/button.jsx';
import { Dialog } from '../ui/dialog.jsx';
import { ProblemNotice } from '../ui/problem-notice.jsx';
import { useResource } from '../ui/use-resource.js';
import { AnyInputs, InputFields } from './input-fields.jsx';
import { emptyRunForm, type RunForm, readRunForm } from './read-run-form.js';

interface RunDialogProps {
  readonly dot: string;
  /** Inputs that the pipeline declares; undefined if it takes any. */
  readonly declared: DeclaredInputs | undefined;
  readonly onClose: () => void;
}

/** Asks for the options of the run, submits the pipeline (§9.5), and opens the run; shows refusals of the server at their place. */
export function RunDialog({ dot, declared, onClose }: RunDialogProps) {
  const { data: capabilities } = useResource<Capabilities>('capabilities');
  const [form, setForm] = useState<RunForm>(emptyRunForm);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [failure, setFailure] = useState<Failure | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const set = (change: Partial<RunForm>): void => setForm({ ...form, ...change });

  const submit = async (): Promise<void> => {
    const read = readRunForm(form, dot, declared);
    setProblem(read.kind === 'problem' ? read.message : undefined);
    setFailure(undefined);
    if (read.kind === 'problem') return;
    setBusy(true);
    try {
      const { id } = await start(read.submission);
      goTo({ kind: 'run', runId: id });
    } catch (error) {
      setFailure(failureOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title="Run this pipeline" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <label class="check">
          <input
            type="checkbox"
            checked={form.simulate}
            onChange={(event) => set({ simulate: event.currentTarget.checked })}
          />
          Simulate: no stage does its real work
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={form.autoApprove}
            onChange={(event) => set({ autoApprove: event.currentTarget.checked })}
          />
          Approve every question without asking
        </label>
        {declared === undefined ? (
          <AnyInputs value={form.inputs} onChange={(inputs) => set({ inputs })} />
        ) : (
          <InputFields
            declared={declared}
            values={form.declaredInputs}
            onChange={(declaredInputs) => set({ declaredInputs })}
          />
        )}
        <RunFields form={form} set={set} backends={capabilities?.backends ?? []} />
        {capabilities !== undefined && <Allowed capabilities={capabilities} />}
        {problem !== undefined && (
          <p class="notice" data-state="failed" role="alert">
            {problem}
          </p>
        )}
        {failure !== undefined && <ProblemNotice failure={failure} />}
        <div class="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" icon="play" isBusy={isBusy}>
            Run
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function start(submission: Submission): Promise<AcceptedRun> {
  return requestJson<AcceptedRun>('pipelines', { method: 'POST', body: submission });
}

interface RunFieldsProps {
  readonly form: RunForm;
  readonly set: (change: Partial<RunForm>) => void;
  readonly backends: readonly string[];
}

function RunFields({ form, set, backends }: RunFieldsProps) {
  return (
    <>
      <div class="row">
        <label class="field">
          Budget in US dollars
          <input
            value={form.budgetUsd}
            placeholder="as the pipeline says, or none"
            onInput={(event) => set({ budgetUsd: event.currentTarget.value })}
          />
        </label>
        <label class="field">
          Stages at most
          <input
            inputMode="numeric"
            value={form.maxSteps}
            placeholder="as the pipeline says"
            onInput={(event) => set({ maxSteps: event.currentTarget.value })}
          />
        </label>
      </div>
      <StageBudgetsField value={form.stageBudgets} onChange={(stageBudgets) => set({ stageBudgets })} />
      {backends.length > 0 && (
        <label class="field">
          Backend
          <select value={form.backend} onChange={(event) => set({ backend: event.currentTarget.value })}>
            <option value="">As the server is configured</option>
            {backends.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
    </>
  );
}

function Allowed({ capabilities: { allow_tools, has_model } }: { readonly capabilities: Capabilities }) {
  return (
    <p class="muted small">
      {allow_tools
        ? 'Stages may run commands on the machine of this server.'
        : 'This server runs no shell commands for pipelines that are sent to it (--allow-tools would let it).'}
      {!has_model &&
        ' It has no default model: LLM stages that name none are refused, unless they are simulated.'}
    </p>
  );
}
