/* Where a block stands in a row whose block columns increase. */

/* The place in the row whose first column stands at `row`, the others `height` further each; -1: there is no such block. */
inline int find_block(const global int *row, const int height, const int length, const int column)
{
    int low = 0, high = length;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (row[(long)middle * height] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < length && row[(long)low * height] == column ? low : -1;
}
