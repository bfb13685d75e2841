/** Graphviz compiled to WebAssembly, in a separate module so that only a layout loads it. */
export { Graphviz } from '@hpcc-js/wasm-graphviz';

/**
 * Module in which a worker finds this export: the bundle's chunk, or for the sources, which Node can't
 * load, the package.
 */
export const graphvizModule = import.meta.url.endsWith('.ts') ? '@hpcc-js/wasm-graphviz' : import.meta.url;
