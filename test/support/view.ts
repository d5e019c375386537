import type { View } from "../../src/model/view.ts";
import { bodyOf, type Talk } from "./conversation.ts";
import { createTestKeeper, prepare } from "./keeper.ts";

/** What a policy is shown of the first request of a conversation. */
export async function viewOfTalk(talk: Talk): Promise<View> {
  const views: View[] = [];
  const looker = {
    name: "looker",
    propose(view: View) {
      views.push(view);
      return { proposals: [], declines: [] };
    },
  };
  await prepare(createTestKeeper({ policies: [looker] }), bodyOf(talk));
  const [view] = views;
  if (view === undefined) throw new Error("no policy was asked");
  return view;
}
