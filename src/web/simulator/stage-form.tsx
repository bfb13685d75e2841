import { useId, useState } from 'preact/hooks';
import type { ProgramNode } from '../../graph/program.js';
import type { ExecuteEffect } from '../../machine/effect.js';
import type { ScriptEntry } from '../../run-directory/simulation-script.js';
import { Button } from '../ui/button.jsx';
import { emptyForm, type OutcomeForm, readOutcomeForm } from './read-outcome-form.js';

interface StageFormProps {
  readonly effect: ExecuteEffect;
  readonly node: ProgramNode | undefined;
  /** Branch in words. */
  readonly branch: string;
  readonly onSettle: (entry: ScriptEntry) => void;
}

const statuses = ['success', 'partial_success', 'fail', 'retry'] as const;

/** A stage that is ready: how is it to end? */
export function StageForm({ effect, node, branch, onSettle }: StageFormProps) {
  const [form, setForm] = useState<OutcomeForm>(emptyForm);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const group = useId();
  const name = branch === '' ? effect.nodeId : `${effect.nodeId}, ${branch}`;
  const set = (change: Partial<OutcomeForm>): void => setForm({ ...form, ...change });
  const labels = [...new Set((node?.edges ?? []).map(({ label }) => label).filter((label) => label !== ''))];
  const mayFail = form.status === 'fail' || form.status === 'retry';
  return (
    <form
      class="stage-form"
      aria-label={`Outcome of ${name}`}
      onSubmit={(event) => {
        event.preventDefault();
        const read = readOutcomeForm(form);
        setProblem(read.kind === 'problem' ? read.message : undefined);
        if (read.kind === 'entry') onSettle(read.entry);
      }}
    >
      <p class="stage-form-title">
        <strong>{effect.nodeId}</strong> <span class="muted small">{placeOf(effect, node, branch)}</span>
      </p>
      <fieldset class="outcomes">
        <legend class="visually-hidden">How {effect.nodeId} ends</legend>
        {statuses.map((status) => (
          <label key={status} class="outcome" data-status={status}>
            <input
              type="radio"
              name={group}
              value={status}
              checked={form.status === status}
              onChange={() => set({ status })}
            />
            {status}
          </label>
        ))}
      </fieldset>
      <div class="row">
        {labels.length > 0 && (
          <label class="field">
            Preferred label
            <select
              value={form.preferredLabel}
              onChange={(event) => set({ preferredLabel: event.currentTarget.value })}
            >
              <option value="">none</option>
              {labels.map((label) => (
                <option key={label} value={label}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        )}
        {mayFail && (
          <label class="field">
            Failure reason
            <input
              value={form.failureReason}
              placeholder="tests red"
              onInput={(event) => set({ failureReason: event.currentTarget.value })}
            />
          </label>
        )}
      </div>
      <details>
        <summary>Context and response</summary>
        <label class="field">
          <span>
            Context updates, <code>key=value</code> on each line
          </span>
          <textarea
            rows={2}
            spellcheck={false}
            value={form.updates}
            onInput={(event) => set({ updates: event.currentTarget.value })}
          />
        </label>
        {node?.handler.llm === true && (
          <label class="field">
            Response of the model
            <textarea
              rows={2}
              value={form.response}
              onInput={(event) => set({ response: event.currentTarget.value })}
            />
          </label>
        )}
      </details>
      {problem !== undefined && (
        <p class="notice small" data-state="failed" role="alert">
          {problem}
        </p>
      )}
      <div>
        <Button type="submit" aria-label={`Continue from ${name}`}>
          Continue
        </Button>
      </div>
    </form>
  );
}

function placeOf({ visit, attempt }: ExecuteEffect, node: ProgramNode | undefined, branch: string): string {
  const most = node?.retry.maxAttempts ?? 1;
  const facts = [
    node?.handler.title ?? '',
    visit > 1 ? `visit ${visit}` : '',
    most > 1 ? `attempt ${attempt} of ${most}` : '',
    branch,
  ];
  return facts.filter((fact) => fact !== '').join(' · ');
}
