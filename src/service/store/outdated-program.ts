/** A newer version of the program has changed how links are stored, while this one was running. */
export class OutdatedProgram extends Error {
  constructor() {
    super('a newer version of linkctl has changed the store: stop this process and start that version');
  }
}
