/** Matches Graphviz's output for a box or an edge: neither has a group inside. */
const boxOrEdge =
  /<g id="([^"]*)" (class="(?:cluster|edge)\b[^"]*")>\n(<title>[^<]*<\/title>\n)([\s\S]*?)<\/g>\n/g;
const textLine = /<text [\s\S]*?<\/text>\n/g;
const rimWidth = 3;

/**
 * Puts the titles of boxes and the labels of edges in front of everything, each with a rim of the page's
 * colour around its letters, so that they can be read even if an edge crosses them: Graphviz leads edges
 * around stages only. Each is in a group `<id of the box or edge>-label`.
 */
export function raiseLabels(svg: string, page: string): string {
  const labels: string[] = [];
  const rest = svg.replaceAll(boxOrEdge, (match, id, className, title, content) => {
    const lines = content.match(textLine);
    if (lines === null) return match;
    labels.push(`<g id="${id}-label" ${className}>\n${title}${lines.join('')}</g>\n`);
    return `<g id="${id}" ${className}>\n${title}${content.replaceAll(textLine, '')}</g>\n`;
  });
  if (labels.length === 0) return svg;
  const end = rest.lastIndexOf('</g>');
  const rim = `stroke="${page}" stroke-width="${rimWidth}" stroke-linejoin="round" paint-order="stroke"`;
  return `${rest.slice(0, end)}<g class="labels" ${rim}>\n${labels.join('')}</g>\n${rest.slice(end)}`;
}
