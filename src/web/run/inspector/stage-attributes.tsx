/**
 * Attributes of a stage in the pipeline, after its transforms (§2.6); the prompt is shown where it was
 * sent.
 */
export function StageAttributes({ attributes }: { readonly attributes: Readonly<Record<string, string>> }) {
  const entries = Object.entries(attributes);
  if (entries.length === 0) return null;
  return (
    <details>
      <summary>Attributes</summary>
      <dl class="values">
        {entries.map(([name, value]) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>
              <pre class="text">{value}</pre>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
