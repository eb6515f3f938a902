/** What a terminal says by itself: while an old screen is drawn again, nobody asks any more. */

const ESC = "\u001b";
/** Reports of place, state and kind, of modes, and of colours or settings as strings. */
const ANSWER = new RegExp(`^${ESC}(?:\\[[?>=]?[\\d;]*[cnRtxy]|\\[\\??[\\d;]*\\$y|[P\\]_][^]*)$`);

export const isAnswer = (data: string): boolean => ANSWER.test(data);
