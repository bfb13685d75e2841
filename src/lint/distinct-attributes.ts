import type { Attribute, AttributeMap } from '../graph/graph.js';

interface HasAttributes {
  readonly attributes: AttributeMap;
}

export interface AttributeUse<Owner> {
  /** First owner that has the attribute. */
  readonly owner: Owner;
  readonly attribute: Attribute;
}

/**
 * Each attribute of that name once, though the edges of a chain (§2.9) and everything under a default block
 * (§2.11) share one: an attribute that is written once is reported once.
 */
export function* distinctAttributes<Owner extends HasAttributes>(
  owners: Iterable<Owner>,
  name: string,
): Iterable<AttributeUse<Owner>> {
  const seen = new Set<Attribute>();
  for (const owner of owners) {
    const attribute = owner.attributes.get(name);
    if (attribute === undefined || seen.has(attribute)) continue;
    seen.add(attribute);
    yield { owner, attribute };
  }
}
