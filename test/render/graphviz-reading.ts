import { Graphviz } from '@hpcc-js/wasm-graphviz';

type Attributes = Readonly<Record<string, string>>;

export interface Reading {
  readonly graph: Attributes;
  readonly nodes: ReadonlyMap<string, Attributes>;
  readonly edges: readonly (Attributes & { readonly from: string; readonly to: string })[];
  readonly boxes: ReadonlyMap<
    string,
    { readonly attributes: Attributes; readonly nodeIds: readonly string[] }
  >;
}

interface GraphvizJson extends Readonly<Record<string, unknown>> {
  readonly objects?: readonly GraphvizObject[];
  readonly edges?: readonly Readonly<Record<string, unknown>>[];
}

interface GraphvizObject extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly nodes?: readonly number[];
  /** Where it is a node. */
  readonly pos?: string;
}

/** What Graphviz itself understands of a DOT text; throws where it does not accept it. */
export async function readByGraphviz(dot: string): Promise<Reading> {
  const graphviz = await Graphviz.load();
  const json = JSON.parse(graphviz.layout(dot, 'json', 'dot')) as GraphvizJson;
  const objects = json.objects ?? [];
  const nameOf = (index: unknown): string => objects[Number(index)]?.name ?? '';
  const isNode = ({ pos }: GraphvizObject) => pos !== undefined;
  return {
    graph: textsOf(json),
    nodes: new Map(objects.filter(isNode).map((object) => [object.name, textsOf(object)])),
    edges: (json.edges ?? []).map((edge) => ({
      ...textsOf(edge),
      from: nameOf(edge.tail),
      to: nameOf(edge.head),
    })),
    boxes: new Map(
      objects
        .filter((object) => !isNode(object))
        .map((object) => [
          object.name,
          { attributes: textsOf(object), nodeIds: (object.nodes ?? []).map(nameOf) },
        ]),
    ),
  };
}

function textsOf(object: Readonly<Record<string, unknown>>): Attributes {
  const texts = Object.entries(object).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}
