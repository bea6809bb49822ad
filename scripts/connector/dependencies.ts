/** What the subcommands of the connector command work with. */

export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** What a command may use beside its arguments. */
export interface ConnectorDependencies {
  readonly fetch: typeof fetch;
}
