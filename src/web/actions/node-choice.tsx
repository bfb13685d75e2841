interface NodeChoiceProps {
  readonly label: string;
  /** Label for choosing no node. */
  readonly none: string;
  readonly nodes: readonly string[];
  /** Empty: none. */
  readonly value: string;
  readonly onChange: (node: string) => void;
}

/** One of the nodes of a pipeline, or none. */
export function NodeChoice({ label, none, nodes, value, onChange }: NodeChoiceProps) {
  return (
    <label class="field">
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{none}</option>
        {nodes.map((node) => (
          <option key={node} value={node}>
            {node}
          </option>
        ))}
      </select>
    </label>
  );
}
