/** Sessions onto the train, as configured; what keeps them off it is put to the person. */

import { Problem } from "../../api/request";
import { addToTrain } from "../../api/train";
import { choose } from "../../state/fleet/sidebar";
import { loadTrains } from "../../state/fleet/train";
import { notify } from "../../state/page/notices";
import { setCover } from "../../state/page/screen";

export async function board(ids: readonly string[]): Promise<void> {
  try {
    const cars = await addToTrain(ids);
    for (const car of cars) notify(`${car.title} is on the train to ${car.into}.`);
    choose([]);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    setCover({ name: "board", ids, message: error.message, hint: error.hint });
  }
  await loadTrains().catch(() => undefined);
}
