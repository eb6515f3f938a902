import { type RefObject, useState } from "react";
import type { Attention } from "../../api/types.gen";
import { type Question, questionsOf } from "../../state/inbox/attention";
import { Button } from "../Button";
import { Markdown } from "../markdown/Markdown";
import { ChoiceButton } from "./ChoiceButton";
import type { Answering } from "./useAnswering";
import { useCardKeys } from "./useCardKeys";
import { Words } from "./Words";

interface Props {
  readonly item: Attention;
  readonly answering: Answering;
  readonly active: boolean;
  readonly card: RefObject<HTMLElement | null>;
}

/** The choices of a question. A single one answers at once; several are chosen, then sent. */
export function Choices({ item, answering, active, card }: Props) {
  const questions = questionsOf(item);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const atOnce = questions.length === 1 && questions[0]?.many === false;
  const ready = questions.every((question) => answered(question, chosen));
  const numbered = questions.flatMap((question) => question.choices).slice(0, 9);
  const choose = (question: Question, id: string) => {
    if (atOnce) answering.give([id]);
    else setChosen(toggled(question, chosen, id));
  };
  const pick = (id: string) => {
    const question = questions.find(({ choices }) => choices.some((choice) => choice.id === id));
    if (question) choose(question, id);
  };
  const send = () => ready && answering.give(chosen);
  useCardKeys(card, active && !answering.busy, {
    ...Object.fromEntries(
      numbered.map(({ id, label }, place) => [
        `${place + 1}`,
        { label: `Answer: ${label}`, run: () => pick(id) },
      ]),
    ),
    r: { label: "Answer in words", run: () => card.current?.querySelector("textarea")?.focus() },
    ...(atOnce ? {} : { a: { label: "Send the answers", run: send } }),
  });
  return (
    <>
      {questions.map((question) => (
        <fieldset key={question.text} disabled={answering.busy}>
          <legend>
            <Markdown text={question.text} />
          </legend>
          {question.choices.map((choice) => (
            <ChoiceButton
              key={choice.id}
              choice={choice}
              number={numbered.indexOf(choice) + 1}
              pressed={atOnce ? null : chosen.includes(choice.id)}
              onChoose={() => choose(question, choice.id)}
            />
          ))}
        </fieldset>
      ))}
      {!atOnce && (
        <Button look="primary" hint="A" disabled={!ready || answering.busy} onClick={send}>
          Send answers
        </Button>
      )}
      <Words
        name={item.id}
        label="Or answer in your own words"
        action="Answer"
        busy={answering.busy}
        least={1}
        onSend={(text) => answering.give(chosen, text)}
      />
    </>
  );
}

function answered(question: Question, chosen: readonly string[]): boolean {
  return question.choices.some((choice) => chosen.includes(choice.id));
}

function toggled(question: Question, chosen: readonly string[], id: string): string[] {
  if (chosen.includes(id)) return chosen.filter((other) => other !== id);
  const rivals = new Set(question.many ? [] : question.choices.map((choice) => choice.id));
  return [...chosen.filter((other) => !rivals.has(other)), id];
}
