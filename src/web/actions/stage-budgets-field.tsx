interface StageBudgetsFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Budgets of stages for one visit each, in the form of `--stage-budget` (SEMANTICS 126). */
export function StageBudgetsField({ value, onChange }: StageBudgetsFieldProps) {
  return (
    <label class="field">
      Budgets of stages
      <input
        type="text"
        placeholder="plan=2.50, review=80000tokens, test=none"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}
