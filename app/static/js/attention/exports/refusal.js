/** Why something cannot be saved, in a sentence for the reader. */
export class Refusal extends Error {}
