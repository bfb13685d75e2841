interface NodeChoiceProps {
  readonly label: string;
  /** Label for choosing no node. */
  readonly none: string;
  /** Undefined while they load. */
  readonly nodes: readonly string[] | undefined;
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
        <option value="">{nodes === undefined ? 'Loading the nodes …' : none}</option>
        {nodes?.map((node) => (
          <option key={node} value={node}>
            {node}
          </option>
        ))}
      </select>
    </label>
  );
}
