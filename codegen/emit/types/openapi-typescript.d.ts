/** The parts of openapi-typescript that make types: its index would also load a linter, which takes longer than they do. */

declare module 'openapi-typescript/dist/transform/index.mjs' {
  // biome-ignore lint/style/noDefaultExport: the library exports it like this.
  export { transformSchema as default } from 'openapi-typescript';
}

declare module 'openapi-typescript/dist/lib/ts.mjs' {
  export { astToString } from 'openapi-typescript';
}

declare module 'openapi-typescript/dist/lib/utils.mjs' {
  export { resolveRef } from 'openapi-typescript';
}
