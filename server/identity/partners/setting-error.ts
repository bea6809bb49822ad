/** The error for a setting that was typed wrongly, in the dashboard, on the command line or in the partner API. */

export class SettingError<Setting extends string = string> extends Error {
  override readonly name = 'SettingError';
  readonly setting: Setting;
  /** Continues the sentence that begins with the setting's name. */
  readonly problem: string;

  constructor(setting: Setting, problem: string) {
    super(`${setting} ${problem}.`);
    this.setting = setting;
    this.problem = problem;
  }
}

/**
 * The problem as a sentence.
 *
 * @param names what the reader knows each setting by.
 * @throws any other error, unchanged.
 */
export function settingProblem(error: unknown, names: Readonly<Record<string, string>>): string {
  if (!(error instanceof SettingError)) throw error;
  return `${names[error.setting]} ${error.problem}.`;
}
