// Package speech says what a text would have the model do that reads it: drop its instructions, keep something from the user, hand on
// what is private. A text is evidence of one or of several ideas, each at a level; what that is worth where the text stands, in a
// card, a result or a request, is for the rules to say. It knows words and how they stand together, no sentence of anybody's.
package speech
