/** Help for the keys of the editor, and the way out of it. */
export function PlaygroundHelp() {
  return (
    <div class="playground-help stack">
      <p>
        A pipeline is a directed graph: stages are nodes, and edges lead from one to the next. Everything that
        is found in the text is underlined and listed below it; many findings have a button that makes the
        change.
      </p>
      <table>
        <caption class="visually-hidden">Keys of the editor</caption>
        <tbody>
          {keys.map(([key, what]) => (
            <tr key={key}>
              <th scope="row">
                <kbd class="key">{key}</kbd>
              </th>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        The simulator plays the pipeline through in this browser, by the same rules as a run: you say how each
        stage ends, and see where control goes, and why. Nothing is sent anywhere, and nothing is really done.
      </p>
      <p class="muted">
        The text is kept in this browser. Save it as a file to take it elsewhere:{' '}
        <code>attractor run FILE</code>.
      </p>
    </div>
  );
}

const keys: readonly (readonly [key: string, what: string])[] = [
  ['Ctrl Space', 'Suggests what may stand here, and says what it means'],
  ['Tab', 'Indents'],
  ['Escape, then Tab', 'Leaves the editor'],
  ['Shift Alt F', 'Formats the text'],
  ['F8', 'Goes to the next problem'],
  ['Ctrl Shift M', 'Lists the problems in the editor, with their fixes'],
  ['Ctrl F', 'Finds and replaces'],
  ['Ctrl Z', 'Undoes, also an example or a file that was opened'],
];
